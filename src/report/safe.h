/* SPDX-License-Identifier: MIT */
/*
 * Text of unknown origin made fit for a terminal: valid UTF-8 on one line, without
 * characters that steer the terminal or turn the direction of writing around, so that
 * names in a file cannot play with it. What is left out is shown as '?'.
 *
 * They allocate nothing.
 */
#ifndef DH_REPORT_SAFE_H
#define DH_REPORT_SAFE_H

#include <stdio.h>
#include "base/base.h"

/* The length of the character at p, of which n >= 1 bytes are there, or 0 where it is not
 * to be shown; *skip is how many bytes it has. */
size_t dh_safe_char(const char *p, size_t n, size_t *skip);

/* Copies what fits in size bytes with a NUL, and returns its length. A tab becomes spaces
 * up to the next multiple of eight columns. */
size_t dh_safe_copy(char *to, size_t size, const char *text, size_t len);

/* Writes at most `most` characters of the text. Returns how many. */
size_t dh_safe_print(FILE *to, const char *text, size_t len, size_t most);

#endif
