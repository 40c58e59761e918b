/* SPDX-License-Identifier: MIT */
/* Buffers in several pieces (struct iovec), as touched by a call: the first n bytes of
 * them, and the array itself. Any thread. */
#ifndef DH_RUNTIME_INTERCEPT_VECTOR_H
#define DH_RUNTIME_INTERCEPT_VECTOR_H

#include <sys/uio.h>
#include "runtime/intercept/touch.h"

static void dh_vector_touches(const struct iovec *v, size_t count, size_t n,
			      unsigned flags, uint64_t pc)
{
	if (!dh_touches(pc))
		return;
	dh_touch(v, count * sizeof *v, 0, pc);
	for (size_t i = 0; i < count && n; i++) {
		size_t piece = DH_MIN(n, v[i].iov_len);
		dh_touch(v[i].iov_base, piece, flags, pc);
		n -= piece;
	}
}

DH_INLINE void dh_vector_reads(const struct iovec *v, size_t count, size_t n, uint64_t pc)
{
	dh_vector_touches(v, count, n, 0, pc);
}

DH_INLINE void dh_vector_writes(const struct iovec *v, size_t count, size_t n,
				uint64_t pc)
{
	dh_vector_touches(v, count, n, DH_ACCESS_WRITE, pc);
}

#endif
