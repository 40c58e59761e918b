/* SPDX-License-Identifier: MIT */
/*
 * Where Deadheat's own files are: found from where the running program is, so that an
 * installation can be moved as a whole and the build tree works as it is.
 */
#ifndef DH_CLI_PLACE_H
#define DH_CLI_PLACE_H

#include <stdbool.h>

/* The absolute path of the running `deadheat`; NULL where nobody tells. The
 * caller frees. */
char *dh_place_program(void);

/* The folder with the runtime libraries and what goes with them, absolute, without a
 * slash at the end; NULL where there is none. The caller frees. */
char *dh_place_libraries(void);

/* dir/name, and whether there is such a file. The caller frees. */
char *dh_place_join(const char *dir, const char *name);
bool dh_place_has(const char *dir, const char *name);

#endif
