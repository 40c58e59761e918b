/* SPDX-License-Identifier: MIT */
/* See variables.h. The file is mapped for as long as its table is read, and nothing in it
 * is believed. */
#include "runtime/missing/variables.h"
#include <elf.h>
#include <linux/fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <linux/stat.h>
#include "base/kernel.h"
#include "base/sys.h"

struct file {
	const uint8_t *at;
	size_t size;
};

static bool open_file(const char *path, struct file *f)
{
	struct statx s;
	long fd = DH_KERNEL_4(__NR_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return false;
	long got = DH_KERNEL_5(__NR_statx, fd, "", AT_EMPTY_PATH, STATX_SIZE, &s);
	f->size = got == 0 ? s.stx_size : 0;
	long at = -1;
	if (f->size)
		at = DH_KERNEL_6(__NR_mmap, NULL, f->size, PROT_READ, MAP_PRIVATE, fd, 0);
	DH_KERNEL_1(__NR_close, fd);
	f->at = (const uint8_t *)at;
	return at >= 0 || at < -4095;
}

/* count things of so many bytes each, at a place in the file; NULL where they are not. */
static const void *part(const struct file *f, uint64_t offset, uint64_t count,
			uint64_t each)
{
	if (offset > f->size || offset % 8 || (each && count > (f->size - offset) / each))
		return NULL;
	return f->at + offset;
}

static const ElfW(Shdr) * table_of(const struct file *f)
{
	const ElfW(Ehdr) *e = part(f, 0, 1, sizeof *e);
	if (!e || !dh_same(e->e_ident, ELFMAG, SELFMAG) ||
	    e->e_ident[EI_CLASS] != ELFCLASS64 || e->e_shentsize != sizeof(ElfW(Shdr)))
		return NULL;
	const ElfW(Shdr) *s = part(f, e->e_shoff, e->e_shnum, sizeof *s);
	const ElfW(Shdr) *found = NULL;
	for (unsigned i = 0; s && i < e->e_shnum; i++)
		if (s[i].sh_type == SHT_SYMTAB || (s[i].sh_type == SHT_DYNSYM && !found))
			found = &s[i];
	return found;
}

static void take(const struct file *f, uintptr_t base, struct dh_variables *out)
{
	const ElfW(Shdr) *table = table_of(f);
	size_t count = table ? table->sh_size / sizeof(ElfW(Sym)) : 0;
	const ElfW(Sym) *s = table ? part(f, table->sh_offset, count, sizeof *s) : NULL;
	for (size_t i = 0; s && i < count; i++)
		if (ELF64_ST_TYPE(s[i].st_info) == STT_OBJECT && s[i].st_size &&
		    s[i].st_shndx != SHN_UNDEF && s[i].st_shndx < SHN_LORESERVE)
			dh_vec_push(out, (struct dh_variable){base + s[i].st_value,
							      s[i].st_size});
}

static bool before(struct dh_variable a, struct dh_variable b)
{
	return a.start != b.start ? a.start < b.start : a.size < b.size;
}

/* Puts at[i] where it belongs in a heap of n, the largest first. */
static void sift(struct dh_variable *at, size_t i, size_t n)
{
	struct dh_variable moved = at[i];
	for (size_t child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && before(at[child], at[child + 1]))
			child++;
		if (!before(moved, at[child]))
			break;
		at[i] = at[child];
	}
	at[i] = moved;
}

static void sort(struct dh_variables *v)
{
	for (size_t i = v->len / 2; i > 0; i--)
		sift(v->at, i - 1, v->len);
	for (size_t n = v->len; n > 1; n--) {
		struct dh_variable last = v->at[n - 1];
		v->at[n - 1] = v->at[0];
		v->at[0] = last;
		sift(v->at, 0, n - 1);
	}
}

/* Of several names for one variable the longest counts. */
static void merge(struct dh_variables *v)
{
	size_t kept = 0;
	for (size_t i = 0; i < v->len; i++) {
		if (kept && v->at[kept - 1].start == v->at[i].start)
			kept--;
		v->at[kept++] = v->at[i];
	}
	v->len = kept;
}

void dh_variables_read(const char *path, uintptr_t base, struct dh_variables *out)
{
	struct file f;
	if (!open_file(path, &f))
		return;
	take(&f, base, out);
	dh_sys_unmap((void *)(uintptr_t)f.at, f.size);
	sort(out);
	merge(out);
}
