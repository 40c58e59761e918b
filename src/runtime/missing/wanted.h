/* SPDX-License-Identifier: MIT */
/*
 * Which functions count as missing methods: all, or those that the option missing names,
 * but those of libraries that are known not to synchronise (missing.def), unless named,
 * and those that the option no-missing names. Patterns are for the name of the function
 * or of its module's file, with * for any letters; several are parted by commas or
 * blanks.
 *
 * Pure but for the options; any thread.
 */
#ifndef DH_RUNTIME_MISSING_WANTED_H
#define DH_RUNTIME_MISSING_WANTED_H

#include "base/base.h"

/* path: of the module that has the function. */
bool dh_missing_counts(const char *path, const char *function);

/* Is it a library that is known not to synchronise? */
bool dh_missing_plain(const char *path);

#endif
