/* SPDX-License-Identifier: MIT */
/*
 * Cells of the shadow (shadow.h), eight at a time, for accesses to ranges: buffers that
 * are used over and over hold nothing but repeats, and neighbouring cells mostly hold the
 * same two words.
 *
 * Context: any thread. Words are loaded and stored whole, two at once; the two of a cell
 * need not be of the same instant.
 */
#ifndef DH_RUNTIME_CELLS_H
#define DH_RUNTIME_CELLS_H

#include "runtime/cells_wide.h"
#include "runtime/shadow.h"
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
	DH_CELLS = 8,	    /* looked at together */
	DH_CELLS_WIDE = 32, /* of which the wide way is worth its call */
};

#if defined(__SSE2__)
typedef __m128i dh_cell_bits;

DH_INLINE dh_cell_bits dh_cell_bits_of(dh_record write, dh_record read)
{
	return _mm_set_epi64x((long long)read, (long long)write);
}

DH_INLINE dh_cell_bits dh_cell_differs(const struct dh_cell *c, dh_cell_bits want)
{
	return _mm_xor_si128(_mm_load_si128((const __m128i *)c), want);
}

DH_INLINE dh_cell_bits dh_cell_either(dh_cell_bits a, dh_cell_bits b)
{
	return _mm_or_si128(a, b);
}

/* Which words are zero but for their low bits, which are left out: bit 0 the write, bit 1
 * the reads. */
DH_INLINE unsigned dh_cell_same(dh_cell_bits differs, uint64_t left_out)
{
	__m128i rest = _mm_andnot_si128(_mm_set1_epi64x((long long)left_out), differs);
	__m128i zero = _mm_cmpeq_epi8(rest, _mm_setzero_si128());
	unsigned bytes = (unsigned)_mm_movemask_epi8(zero);
	return ((bytes & 0xff) == 0xff ? 1 : 0) | (bytes >> 8 == 0xff ? 2 : 0);
}

/* Does the cell hold just this? */
DH_INLINE bool dh_cell_is(const struct dh_cell *c, dh_cell_bits want)
{
	__m128i same = _mm_cmpeq_epi8(_mm_load_si128((const __m128i *)c), want);
	return _mm_movemask_epi8(same) == 0xffff;
}

DH_INLINE void dh_cell_store(struct dh_cell *c, dh_cell_bits bits)
{
	_mm_store_si128((__m128i *)c, bits);
}
#else
typedef struct dh_cell dh_cell_bits;

DH_INLINE dh_cell_bits dh_cell_bits_of(dh_record write, dh_record read)
{
	return (dh_cell_bits){write, read};
}

DH_INLINE dh_cell_bits dh_cell_differs(const struct dh_cell *c, dh_cell_bits want)
{
	return (dh_cell_bits){__atomic_load_n(&c->write, __ATOMIC_RELAXED) ^ want.write,
			      __atomic_load_n(&c->read, __ATOMIC_RELAXED) ^ want.read};
}

DH_INLINE dh_cell_bits dh_cell_either(dh_cell_bits a, dh_cell_bits b)
{
	return (dh_cell_bits){a.write | b.write, a.read | b.read};
}

DH_INLINE unsigned dh_cell_same(dh_cell_bits differs, uint64_t left_out)
{
	return (differs.write & ~left_out ? 0 : 1) | (differs.read & ~left_out ? 0 : 2);
}

DH_INLINE bool dh_cell_is(const struct dh_cell *c, dh_cell_bits want)
{
	dh_cell_bits differs = dh_cell_differs(c, want);
	return !(differs.write | differs.read);
}

DH_INLINE void dh_cell_store(struct dh_cell *c, dh_cell_bits bits)
{
	__atomic_store_n(&c->write, bits.write, __ATOMIC_RELAXED);
	__atomic_store_n(&c->read, bits.read, __ATOMIC_RELAXED);
}
#endif

/* What any of the eight has that differs. */
DH_INLINE dh_cell_bits dh_cells_differ(const struct dh_cell *c, dh_cell_bits want)
{
	dh_cell_bits ab =
	    dh_cell_either(dh_cell_differs(c, want), dh_cell_differs(c + 1, want));
	dh_cell_bits cd =
	    dh_cell_either(dh_cell_differs(c + 2, want), dh_cell_differs(c + 3, want));
	dh_cell_bits ef =
	    dh_cell_either(dh_cell_differs(c + 4, want), dh_cell_differs(c + 5, want));
	dh_cell_bits gh =
	    dh_cell_either(dh_cell_differs(c + 6, want), dh_cell_differs(c + 7, want));
	return dh_cell_either(dh_cell_either(ab, cd), dh_cell_either(ef, gh));
}

/* How many cells from c on, in steps of eight, repeat the access of a key: all with their
 * write, or where either will do all with their reads. */
DH_INLINE size_t dh_cells_repeat(const struct dh_cell *c, size_t count, uint64_t key,
				 bool either)
{
	const dh_cell_bits want = dh_cell_bits_of(key, key);
	size_t n = 0;
	for (; n + DH_CELLS <= count; n += DH_CELLS) {
		unsigned same =
		    dh_cell_same(dh_cells_differ(c + n, want), DH_RECORD_SITE_MAX);
		if (!(same & (either ? 3 : 1)))
			break;
		if (dh_cells_wide && count - n >= DH_CELLS_WIDE) {
			n += DH_CELLS;
			return n + dh_cells_repeat_wide(c + n, count - n, key, either);
		}
	}
	return n;
}

/* How many cells from c on, in steps of eight, hold `was`. */
DH_INLINE size_t dh_cells_alike(const struct dh_cell *c, size_t count,
				const struct dh_cell *was)
{
	const dh_cell_bits want = dh_cell_bits_of(was->write, was->read);
	size_t n = 0;
	for (; n + DH_CELLS <= count; n += DH_CELLS)
		if (dh_cell_same(dh_cells_differ(c + n, want), 0) != 3)
			break;
	return n;
}

/* Puts `now` into all cells from c on, in steps of eight, as long as they hold `was`, but
 * for the low bits that are left out. Returns how many. Plain stores: what another thread
 * puts there between look and store is lost. */
DH_INLINE size_t dh_cells_renew(struct dh_cell *c, size_t count,
				const struct dh_cell *was, const struct dh_cell *now,
				uint64_t left_out)
{
	const dh_cell_bits old = dh_cell_bits_of(was->write, was->read);
	const dh_cell_bits new = dh_cell_bits_of(now->write, now->read);
	size_t n = 0;
	for (; n + DH_CELLS <= count; n += DH_CELLS, c += DH_CELLS) {
		if (dh_cell_same(dh_cells_differ(c, old), left_out) != 3)
			break;
		for (unsigned i = 0; i < DH_CELLS; i++)
			dh_cell_store(c + i, new);
	}
	return n;
}

#endif
