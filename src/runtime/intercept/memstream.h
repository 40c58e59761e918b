/* SPDX-License-Identifier: MIT */
/*
 * Streams into memory of their own (open_memstream): the text, and where it is told, are
 * written when the stream is flushed or closed.
 *
 * Context: any thread, inside nothing. Takes a lock; allocates.
 */
#ifndef DH_RUNTIME_INTERCEPT_MEMSTREAM_H
#define DH_RUNTIME_INTERCEPT_MEMSTREAM_H

#include <stdio.h>
#include "base/base.h"

/* What the program was told of a stream, and how wide its characters are; left alone
 * where it is none of these. */
struct dh_memstream {
	void **text;
	size_t *size;
	size_t wide;
};

/* Is it one of these? closing: it is no longer, from now on. */
bool dh_memstream_find(const FILE *f, bool closing, struct dh_memstream *out);

/* It has been flushed or closed, by a call from pc. */
void dh_memstream_told(const struct dh_memstream *s, uint64_t pc);

#endif
