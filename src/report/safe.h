/* SPDX-License-Identifier: MIT */
/* Names that come from a file, for a terminal: control characters, and what is no UTF-8,
 * are shown as '?', so that a trace cannot play with it. */
#ifndef DH_REPORT_SAFE_H
#define DH_REPORT_SAFE_H

#include <stddef.h>
#include <stdio.h>

/* Writes at most `most` characters of the text. Returns how many. */
size_t dh_safe_print(FILE *to, const char *text, size_t len, size_t most);

#endif
