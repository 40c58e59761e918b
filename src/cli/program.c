/* SPDX-License-Identifier: MIT */
/* See program.h. */
#define _GNU_SOURCE
#include "cli/program.h"
#include "cli/place.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *dh_program_find(const char *name)
{
	const char *path = getenv("PATH");
	if (strchr(name, '/'))
		return access(name, X_OK) == 0 ? strdup(name) : NULL;
	char *folders = strdup(path && *path ? path : "/bin:/usr/bin"), *rest = folders;
	char *found = NULL, *folder;
	while (!found && (folder = strsep(&rest, ":"))) {
		found = dh_place_join(*folder ? folder : ".", name);
		if (found && access(found, X_OK) != 0) {
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

/* By what it asks the dynamic linker for; DH_PROGRAM_PLAIN where that tells nothing. */
static enum dh_program_kind by_needs(Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t count =
	    data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	for (size_t i = 0; i < count; i++) {
		GElf_Dyn entry;
		if (!gelf_getdyn(data, (int)i, &entry) || entry.d_tag == DT_NULL)
			break;
		const char *name =
		    entry.d_tag == DT_NEEDED
			? elf_strptr(elf, header->sh_link, entry.d_un.d_val)
			: NULL;
		if (name && begins(name, "libdeadheat-"))
			return DH_PROGRAM_OURS;
		if (name && begins(name, "libtsan.so"))
			return DH_PROGRAM_LIBTSAN;
		if (name && begins(name, "libclang_rt.tsan"))
			return DH_PROGRAM_OWN;
	}
	return DH_PROGRAM_PLAIN;
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

static enum dh_program_kind by_sections(Elf *elf)
{
	enum dh_program_kind kind = DH_PROGRAM_STATIC;
	for (Elf_Scn *s = elf_nextscn(elf, NULL); s; s = elf_nextscn(elf, s)) {
		GElf_Shdr header;
		if (!gelf_getshdr(s, &header))
			continue;
		bool symbols =
		    header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB;
		if (symbols && defines_runtime(elf, s, &header))
			return DH_PROGRAM_OWN;
		if (header.sh_type == SHT_DYNAMIC)
			kind = by_needs(elf, s, &header);
	}
	return kind;
}

enum dh_program_kind dh_program_kind(const char *path)
{
	enum dh_program_kind kind = DH_PROGRAM_OTHER;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return kind;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		kind = by_sections(elf);
	elf_end(elf);
	close(fd);
	return kind;
}
