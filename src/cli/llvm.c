/* SPDX-License-Identifier: MIT */
/*
 * See llvm.h. A clang that is linked with the shared library of LLVM names it as any
 * program does (DT_NEEDED), and has it in a folder beside its own or where all libraries
 * are.
 */
#define _GNU_SOURCE
#include "cli/llvm.h"

#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The path of a program, as the shell finds it, without links; NULL where there is none.
 */
static char *path_of(const char *program)
{
	char at[PATH_MAX];
	if (strchr(program, '/'))
		return realpath(program, NULL);
	const char *list = getenv("PATH");
	while (list && *list) {
		size_t n = strcspn(list, ":");
		int len =
		    snprintf(at, sizeof at, "%.*s/%s", (int)n, n ? list : ".", program);
		if (len < (int)sizeof at && access(at, X_OK) == 0)
			return realpath(at, NULL);
		list += n + (list[n] == ':');
	}
	return NULL;
}

static char *needed_of(Elf *elf, Elf_Scn *section, const GElf_Shdr *head)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t n = data && head->sh_entsize ? data->d_size / head->sh_entsize : 0;
	GElf_Dyn entry;
	for (size_t i = 0; i < n && gelf_getdyn(data, (int)i, &entry); i++) {
		const char *name = entry.d_tag == DT_NEEDED
				       ? elf_strptr(elf, head->sh_link, entry.d_un.d_val)
				       : NULL;
		if (name && strncmp(name, "libLLVM", 7) == 0)
			return strdup(name);
	}
	return NULL;
}

/* The library that the file names. */
static char *library_of(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *found = NULL;
	elf_version(EV_CURRENT);
	Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	Elf_Scn *section = NULL;
	GElf_Shdr head;
	while (!found && elf && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &head) && head.sh_type == SHT_DYNAMIC)
			found = needed_of(elf, section, &head);
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return found;
}

/* With the folder that a compiler of its own has beside it, if it is there. */
static char *placed(const char *program, char *library)
{
	const char *slash = strrchr(program, '/');
	char *beside;
	if (asprintf(&beside, "%.*s/../lib/%s", (int)(slash - program), program,
		     library) < 0)
		return library;
	if (access(beside, R_OK) == 0) {
		free(library);
		return beside;
	}
	free(beside);
	return library;
}

char *dh_llvm_of(char *const *words)
{
	size_t n = 0;
	while (words[n])
		n++;
	char *program = n ? path_of(words[n - 1]) : NULL;
	char *library = program ? library_of(program) : NULL;
	if (library)
		library = placed(program, library);
	free(program);
	return library;
}
