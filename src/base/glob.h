/* SPDX-License-Identifier: MIT */
/*
 * Patterns for names, as in suppression files. Pure; calls nothing.
 */
#ifndef DH_BASE_GLOB_H
#define DH_BASE_GLOB_H

#include "base/base.h"

/* Does the pattern of so many bytes match the text? '*' stands for any letters, also none.
 * The text may have others around it, but before a pattern that begins with '^' and after
 * one that ends with '$'; and, where whole is true, not at all. */
bool dh_glob(const char *pattern, size_t len, const char *text, bool whole);

#endif
