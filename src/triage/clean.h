/* SPDX-License-Identifier: MIT */
/*
 * Text of unknown origin made fit for a terminal: valid UTF-8 on one line, without
 * characters that steer the terminal or turn the direction of writing around. What is
 * left out is shown as '?'.
 *
 * Pure functions; they allocate nothing.
 */
#ifndef DH_TRIAGE_CLEAN_H
#define DH_TRIAGE_CLEAN_H

#include "base/base.h"

/* The length of the character at p, of which n >= 1 bytes are there, or 0 where it is not
 * to be shown; *skip is then how many bytes it has. */
size_t dh_clean_char(const char *p, size_t n, size_t *skip);

/* Copies what fits in size bytes with a NUL, and returns its length. A tab becomes spaces
 * up to the next multiple of eight columns. */
size_t dh_clean(char *to, size_t size, const char *text, size_t len);

#endif
