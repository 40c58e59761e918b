/* SPDX-License-Identifier: MIT */
/* The copy is the file as it was, with the unpacked sections behind it, and the headers
 * of these changed to point there. */
#define _GNU_SOURCE
#include "report/unpacked.h"

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

/* Also in headers that are older than the method. */
enum { COMPRESS_ZSTD = 2, ALIGNMENT = 64 };

struct image {
	unsigned char *bytes; /* private: the headers are changed in place */
	size_t size;
	int copy;   /* or -1: none needed yet */
	size_t end; /* of the copy */
};

static bool within(const struct image *m, uint64_t from, uint64_t size)
{
	return from <= m->size && size <= m->size - from;
}

/* The table of sections; 0 for anything but a file of this machine's kind. */
static Elf64_Shdr *sections(const struct image *m, size_t *count)
{
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)m->bytes;
	*count = 0;
	if (!within(m, 0, sizeof *e) || memcmp(e->e_ident, ELFMAG, SELFMAG) != 0 ||
	    e->e_ident[EI_CLASS] != ELFCLASS64 || e->e_ident[EI_DATA] != ELFDATA2LSB ||
	    e->e_shentsize != sizeof(Elf64_Shdr) || e->e_shoff % sizeof(uint64_t) ||
	    !within(m, e->e_shoff, (uint64_t)e->e_shnum * e->e_shentsize))
		return NULL;
	*count = e->e_shnum;
	return (Elf64_Shdr *)(m->bytes + e->e_shoff);
}

static bool is_packed(const struct image *m, const Elf64_Shdr *s, Elf64_Chdr *how)
{
	if (!(s->sh_flags & SHF_COMPRESSED) || s->sh_type == SHT_NOBITS ||
	    s->sh_size < sizeof *how || !within(m, s->sh_offset, s->sh_size))
		return false;
	memcpy(how, m->bytes + s->sh_offset, sizeof *how);
	return how->ch_type == COMPRESS_ZSTD;
}

static bool append(struct image *m, const void *from, size_t size)
{
	size_t at = (m->end + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	if (m->copy < 0)
		m->copy = memfd_create("unpacked", MFD_CLOEXEC);
	if (m->copy < 0 || pwrite(m->copy, from, size, (off_t)at) != (ssize_t)size)
		return false;
	m->end = at + size;
	return true;
}

static void unpack(struct image *m, Elf64_Shdr *s, const Elf64_Chdr *how)
{
	const unsigned char *from = m->bytes + s->sh_offset + sizeof *how;
	size_t packed = s->sh_size - sizeof *how;
	/* What the header claims is believed where the data says the same. */
	if (ZSTD_getFrameContentSize(from, packed) != how->ch_size)
		return;
	void *room = malloc(how->ch_size);
	if (room && ZSTD_decompress(room, how->ch_size, from, packed) == how->ch_size &&
	    append(m, room, how->ch_size)) {
		s->sh_offset = m->end - how->ch_size;
		s->sh_size = how->ch_size;
		s->sh_addralign = how->ch_addralign;
		s->sh_flags &= ~(uint64_t)SHF_COMPRESSED;
	}
	free(room);
}

int dh_unpacked(int fd)
{
	struct stat facts;
	struct image m = {.copy = -1};
	if (fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size <= 0)
		return fd;
	m.size = m.end = (size_t)facts.st_size;
	m.bytes = mmap(NULL, m.size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (m.bytes == MAP_FAILED)
		return fd;
	size_t count;
	Elf64_Shdr *all = sections(&m, &count);
	for (size_t i = 0; i < count; i++) {
		Elf64_Chdr how;
		if (is_packed(&m, &all[i], &how))
			unpack(&m, &all[i], &how);
	}
	bool whole = m.copy >= 0 && pwrite(m.copy, m.bytes, m.size, 0) == (ssize_t)m.size;
	munmap(m.bytes, m.size);
	if (m.copy >= 0)
		close(whole ? fd : m.copy);
	return whole ? m.copy : fd;
}
