/* SPDX-License-Identifier: MIT */
/*
 * Streams into memory. Of those into memory of their own (open_memstream) the text, and
 * where it is told, are written when the stream is flushed or closed. Of those on memory
 * of the caller's (fmemopen) what is still in the stream's buffer is written then, unless
 * it is appended; what went there before, because the buffer was full or there is none,
 * is passed over. And what a call takes out of the stream it reads there.
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
	/* On the caller's memory: that, and as far as the stream has got; and the part
	 * that is to be written. */
	char *buffer;
	size_t room, at, pending;
};

/* Is it one of these? closing: it is no longer, from now on. */
bool dh_memstream_find(FILE *f, bool closing, struct dh_memstream *out);

/* It has been flushed or closed, by a call from pc. */
void dh_memstream_told(const struct dh_memstream *s, uint64_t pc);

/* If it is one: something has been read from it; it was moved. */
void dh_memstream_read(FILE *f, uint64_t pc);
void dh_memstream_moved(FILE *f);

#endif
