/* SPDX-License-Identifier: MIT */
/*
 * Libraries whose calls of interposed functions are not to be judged: the rules
 * called_from_lib of the suppressions (docs/formats/suppressions.md). The other rules need
 * names, and are the helper's.
 */
#ifndef DH_RUNTIME_IGNORED_LIBS_H
#define DH_RUNTIME_IGNORED_LIBS_H

#include "base/base.h"

/* Is it one of them? Reads the suppressions the first time; the caller (callers.c) sees to
 * it that one thread at a time asks. Allocates. */
bool dh_ignored_lib(const char *path);

#endif
