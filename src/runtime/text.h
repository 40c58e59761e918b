/* SPDX-License-Identifier: MIT */
/*
 * Growing bytes: for text and messages that the runtime puts together itself. Allocates
 * with mem.h; not for concurrent use. Zero-initialised is empty.
 */
#ifndef DH_RUNTIME_TEXT_H
#define DH_RUNTIME_TEXT_H

#include "base/vec.h"

struct dh_text dh_vec(char);

size_t dh_text_length(const char *s);
bool dh_text_same(const char *a, const char *b);

/* Does s begin with this? */
bool dh_text_begins(const char *s, const char *with);

void dh_text_bytes(struct dh_text *t, const void *from, size_t n);
void dh_text_add(struct dh_text *t, const char *s);
void dh_text_number(struct dh_text *t, uint64_t n);
void dh_text_hex(struct dh_text *t, uint64_t n); /* with 0x */

/* The bytes with a zero after them, which is not counted. Valid until the next change. */
const char *dh_text_c(struct dh_text *t);

#endif
