/* SPDX-License-Identifier: MIT */
/* The parts of a path. Those of POSIX are made within the caller's text, which is cut off
 * where they end; or they are a constant of the C library. */
#define _GNU_SOURCE
#include <libgen.h>
#include <string.h>
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"

#undef basename /* libgen.h has POSIX's by that name, string.h GNU's */
DH_EXPORT char *basename(const char *path);

/* The path was so long before the call. */
static char *cut(char *path, size_t was, char *part, uint64_t pc)
{
	size_t is = path ? dh_bytes_length(path) : 0;
	if (is < was)
		dh_writes(path + is, 1, pc);
	return part;
}

#define PART(name)                                                                       \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT char *name(char *path)                                                 \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		size_t was = path ? dh_bytes_length(path) : 0;                           \
		dh_reads_text(path, pc);                                                 \
		return cut(path, was, DH_REAL(name)(path), pc);                          \
	}
PART(dirname)
PART(__xpg_basename)

DH_REAL_WANT(basename);
char *basename(const char *path)
{
	dh_reads_text(path, DH_CALLER());
	return DH_REAL(basename)(path);
}
