/* SPDX-License-Identifier: MIT */
/* See program.h. */
#define _GNU_SOURCE
#include "cli/program.h"
#include "cli/place.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_executable(const char *path)
{
	struct stat st;
	return access(path, X_OK) == 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

char *dh_program_find(const char *name)
{
	const char *path = getenv("PATH");
	if (strchr(name, '/'))
		return is_executable(name) ? strdup(name) : NULL;
	char *folders = strdup(path && *path ? path : "/bin:/usr/bin"), *rest = folders;
	char *found = NULL, *folder;
	while (!found && (folder = strsep(&rest, ":"))) {
		found = dh_place_join(*folder ? folder : ".", name);
		if (found && !is_executable(found)) {
			free(found);
			found = NULL;
		}
	}
	free(folders);
	return found;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static void note_need(struct dh_program *p, const char *name)
{
	if (begins(name, "libdeadheat-"))
		p->kind = DH_PROGRAM_OURS;
	else if (begins(name, "libclang_rt.tsan"))
		p->kind = DH_PROGRAM_OWN;
	else if (p->kind == DH_PROGRAM_PLAIN && begins(name, "libtsan.so")) {
		p->kind = DH_PROGRAM_LIBTSAN;
		snprintf(p->tsan, sizeof p->tsan, "%s", name);
	}
}

/* By what it asks the dynamic linker for; DH_PROGRAM_PLAIN where that tells nothing. */
static void note_needs(struct dh_program *p, Elf *elf, Elf_Scn *section,
		       const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t count =
	    data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	bool path = false, late_path = false; /* the second switches the first off */
	for (size_t i = 0; i < count; i++) {
		GElf_Dyn entry;
		if (!gelf_getdyn(data, (int)i, &entry) || entry.d_tag == DT_NULL)
			break;
		path |= entry.d_tag == DT_RPATH;
		late_path |= entry.d_tag == DT_RUNPATH;
		const char *name =
		    entry.d_tag == DT_NEEDED
			? elf_strptr(elf, header->sh_link, entry.d_un.d_val)
			: NULL;
		if (name)
			note_need(p, name);
	}
	p->fixed_path = path && !late_path;
}

static bool defines_runtime(Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t count =
	    data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	for (size_t i = 0; i < count; i++) {
		GElf_Sym symbol;
		const char *name = gelf_getsym(data, (int)i, &symbol)
				       ? elf_strptr(elf, header->sh_link, symbol.st_name)
				       : NULL;
		if (name && strcmp(name, "__tsan_init") == 0)
			return symbol.st_shndx != SHN_UNDEF;
	}
	return false;
}

/* The dynamic linker that it wants; NULL for none. */
static const char *linker_of(Elf *elf)
{
	size_t count = 0, size = 0;
	const char *file = elf_rawfile(elf, &size);
	elf_getphdrnum(elf, &count);
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr h;
		if (gelf_getphdr(elf, (int)i, &h) && h.p_type == PT_INTERP)
			return file && h.p_filesz && h.p_offset < size &&
				       h.p_filesz <= size - h.p_offset &&
				       !file[h.p_offset + h.p_filesz - 1]
				   ? file + h.p_offset
				   : "";
	}
	return NULL;
}

/* Is it for another machine than this program, or for another C library than glibc? */
static bool is_foreign(Elf *elf, const char *linker)
{
#ifdef __x86_64__
	enum { MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
	enum { MACHINE = EM_AARCH64 };
#else
#error "which machine is this?"
#endif
	GElf_Ehdr header;
	return !gelf_getehdr(elf, &header) || header.e_machine != MACHINE ||
	       gelf_getclass(elf) != ELFCLASS64 || !strstr(linker, "/ld-linux");
}

static void note_sections(struct dh_program *p, Elf *elf)
{
	bool own = false;
	const char *linker = linker_of(elf);
	p->kind = linker ? DH_PROGRAM_PLAIN : DH_PROGRAM_STATIC;
	p->foreign = !linker || is_foreign(elf, linker);
	for (Elf_Scn *s = elf_nextscn(elf, NULL); s; s = elf_nextscn(elf, s)) {
		GElf_Shdr header;
		if (!gelf_getshdr(s, &header))
			continue;
		if (header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB)
			own |= defines_runtime(elf, s, &header);
		if (header.sh_type == SHT_DYNAMIC && p->kind == DH_PROGRAM_PLAIN)
			note_needs(p, elf, s, &header);
	}
	if (own)
		p->kind = DH_PROGRAM_OWN;
}

void dh_program_look(const char *path, struct dh_program *out)
{
	*out = (struct dh_program){.kind = DH_PROGRAM_OTHER};
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		note_sections(out, elf);
	elf_end(elf);
	close(fd);
}

/* Another library of an allocator would come before ours; and a libtsan that is found by
 * the program's own path, in place of ours. An empty library of its name keeps it out. A
 * program that is not instrumented may open a library that is. */
char *dh_program_preload(const struct dh_program *p, const char *libraries,
			 const char *old)
{
	bool behind = old && *old;
	bool pushed_out = p->kind == DH_PROGRAM_LIBTSAN && p->fixed_path;
	bool ours = p->kind == DH_PROGRAM_OURS || p->kind == DH_PROGRAM_LIBTSAN;
	bool opener = p->kind == DH_PROGRAM_PLAIN && !p->foreign;
	char *value = NULL;
	if (!opener && !(ours && (behind || pushed_out)))
		return NULL;
	if (asprintf(&value, "%s/libdeadheat-fasttrack.so%s%s%s%s%s%s", libraries,
		     pushed_out ? ":" : "", pushed_out ? libraries : "",
		     pushed_out ? "/names/" : "", pushed_out ? p->tsan : "",
		     behind ? ":" : "", behind ? old : "") < 0)
		return NULL;
	return value;
}
