/* SPDX-License-Identifier: MIT */
/* See place.h. */
#define _GNU_SOURCE
#include "cli/place.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* The library folder as seen from the folder of the program. */
static const char *const ways[] = {
    DH_LIBDIR_FROM_BINDIR, /* installed */
    "src/runtime",	   /* the build tree */
};

char *dh_place_program(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
	if (n <= 0) { /* no /proc: by the name that it was called by */
		const char *called = (const char *)getauxval(AT_EXECFN);
		return called ? realpath(called, NULL) : NULL;
	}
	path[n] = '\0';
	return strdup(path);
}

char *dh_place_join(const char *dir, const char *name)
{
	char *path;
	return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

bool dh_place_has(const char *dir, const char *name)
{
	char *path = dh_place_join(dir, name);
	bool has = path && access(path, R_OK) == 0;
	free(path);
	return has;
}

char *dh_place_libraries(void)
{
	char *program = dh_place_program(), *found = NULL;
	char *slash = program ? strrchr(program, '/') : NULL;
	if (slash)
		*slash = '\0';
	for (size_t i = 0; slash && !found && i < sizeof ways / sizeof *ways; i++) {
		char *dir = dh_place_join(program, ways[i]);
		if (dir && dh_place_has(dir, "libdeadheat-fasttrack.so"))
			found = realpath(dir, NULL);
		free(dir);
	}
	free(program);
	return found;
}
