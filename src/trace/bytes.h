/* SPDX-License-Identifier: MIT */
/*
 * A growing string of bytes, for the printers and writers of this folder. Zero is
 * empty; dh_vec_free() ends it. Not for concurrent use. Allocates.
 */
#ifndef DH_TRACE_BYTES_H
#define DH_TRACE_BYTES_H

#include "base/vec.h"

struct dh_bytes dh_vec(uint8_t);

enum { DH_VARINT_MAX = 10 };

DH_INLINE void dh_bytes_put(struct dh_bytes *b, const void *data, size_t n)
{
	if (n == 0)
		return; /* data may be NULL */
	dh_vec_reserve(b, b->len + n);
	dh_copy(b->at + b->len, data, n);
	b->len += n;
}

DH_INLINE void dh_bytes_byte(struct dh_bytes *b, uint8_t byte)
{
	dh_vec_push(b, byte);
}

/* Seven bits a byte, lowest first; the top bit says that more follow. */
DH_INLINE void dh_bytes_varint(struct dh_bytes *b, uint64_t v)
{
	dh_vec_reserve(b, b->len + DH_VARINT_MAX);
	for (; v >= 0x80; v >>= 7)
		b->at[b->len++] = (uint8_t)(v | 0x80);
	b->at[b->len++] = (uint8_t)v;
}

#endif
