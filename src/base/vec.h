/* SPDX-License-Identifier: MIT */
/*
 * Growable typed arrays over mem.h. Not for concurrent use.
 *
 *   struct dh_vec(uint32_t) v = {0};
 *   dh_vec_push(&v, 7);
 *   for (size_t i = 0; i < v.len; i++) use(v.at[i]);
 *   dh_vec_free(&v);
 *
 * New elements are zero. Growing moves the array: keep indices, not pointers.
 */
#ifndef DH_BASE_VEC_H
#define DH_BASE_VEC_H

#include "base/mem.h"

/* clang-format off */
#define dh_vec(type) { type *at; size_t len, cap; }
/* clang-format on */

DH_INLINE size_t dh_vec_cap(size_t cap, size_t need)
{
	return DH_MAX(need, cap ? cap * 2 : 8);
}

/* Makes room for n elements in all; the length stays. */
#define dh_vec_reserve(v, n)                                                             \
	do {                                                                             \
		size_t need_ = (n);                                                      \
		if (DH_UNLIKELY(need_ > (v)->cap)) {                                     \
			size_t cap_ = dh_vec_cap((v)->cap, need_);                       \
			(v)->at = dh_mem_resize((v)->at, (v)->cap * sizeof *(v)->at,     \
						cap_ * sizeof *(v)->at);                 \
			(v)->cap = cap_;                                                 \
		}                                                                        \
	} while (0)

/* Makes the length at least n; new elements are zero. */
#define dh_vec_grow(v, n)                                                                \
	do {                                                                             \
		size_t want_ = (n);                                                      \
		if (DH_UNLIKELY(want_ > (v)->len)) {                                     \
			dh_vec_reserve(v, want_);                                        \
			dh_zero((v)->at + (v)->len,                                      \
				(want_ - (v)->len) * sizeof *(v)->at);                   \
			(v)->len = want_;                                                \
		}                                                                        \
	} while (0)

#define dh_vec_push(v, ...)                                                              \
	do {                                                                             \
		dh_vec_reserve(v, (v)->len + 1);                                         \
		(v)->at[(v)->len++] = (__VA_ARGS__);                                     \
	} while (0)

#define dh_vec_pop(v) ((v)->at[--(v)->len])

#define dh_vec_free(v)                                                                   \
	do {                                                                             \
		dh_mem_free((v)->at, (v)->cap * sizeof *(v)->at);                        \
		(v)->at = NULL;                                                          \
		(v)->len = (v)->cap = 0;                                                 \
	} while (0)

#endif
