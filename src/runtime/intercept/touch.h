/* SPDX-License-Identifier: MIT */
/*
 * What interceptors use to tell of the caller's memory that a libc function reads or
 * writes. pc is where the function was called (DH_CALLER).
 *
 * Asking first with dh_touches() saves the work of finding out what is touched. The real
 * function is called when nothing is raised or held, and errno is as it left it: none of
 * this changes errno.
 */
#ifndef DH_RUNTIME_INTERCEPT_TOUCH_H
#define DH_RUNTIME_INTERCEPT_TOUCH_H

#include <stddef.h>
#include "runtime/abi.h"
#include "runtime/access.h"
#include "runtime/bytes.h"
#include "runtime/callers.h"

/* Are accesses by this call to be told? */
DH_INLINE bool dh_touches(uint64_t pc)
{
	const struct dh_self *t = dh_thread_self();
	return DH_LIKELY(t->vc && !t->ignore && !t->inside) &&
	       dh_caller_kind(pc) != DH_CALLER_FOREIGN;
}

/* An access to the memory will be told of soon: has its shadow fetched meanwhile. */
DH_INLINE void dh_expect(const void *at)
{
	const struct dh_cell *c = dh_flat_cell((uintptr_t)at);
	__builtin_prefetch(c);
	__builtin_prefetch(c + 1);
}

/* The part of dh_touch() for callers behind which another one is to be found. */
void dh_touch_behind(const void *at, size_t n, unsigned flags, uint64_t pc);

/* Tells of an access by a call for which dh_touches() holds. */
DH_INLINE void dh_touch(const void *at, size_t n, unsigned flags, uint64_t pc)
{
	if (DH_LIKELY(dh_caller_kind(pc) == DH_CALLER_WATCHED))
		dh_access_range((uintptr_t)at, n, flags, pc);
	else
		dh_touch_behind(at, n, flags, pc);
}

DH_INLINE void dh_reads(const void *from, size_t n, uint64_t pc)
{
	if (dh_touches(pc))
		dh_touch(from, n, 0, pc);
}

DH_INLINE void dh_writes(const void *to, size_t n, uint64_t pc)
{
	if (dh_touches(pc))
		dh_touch(to, n, DH_ACCESS_WRITE, pc);
}

/* Is it? Of an argument that is never NULL by the C library's headers the compiler would
 * not ask; but some functions answer that with an error. */
DH_INLINE bool dh_is_null(const void *p)
{
	__asm__("" : "+r"(p));
	return !p;
}

/* The text and the zero that ends it. NULL is passed over. */
DH_INLINE void dh_reads_text(const char *s, uint64_t pc)
{
	if (!dh_is_null(s) && dh_touches(pc))
		dh_touch(s, dh_bytes_length(s) + 1, 0, pc);
}

DH_INLINE void dh_writes_text(const char *s, uint64_t pc)
{
	if (!dh_is_null(s) && dh_touches(pc))
		dh_touch(s, dh_bytes_length(s) + 1, DH_ACCESS_WRITE, pc);
}

DH_INLINE size_t dh_wide_length(const wchar_t *s)
{
	size_t n = 0;
	while (s[n])
		n++;
	return n;
}

/* A text of wide characters, likewise. */
DH_INLINE void dh_reads_wide_text(const wchar_t *s, uint64_t pc)
{
	if (!dh_is_null(s) && dh_touches(pc))
		dh_touch(s, (dh_wide_length(s) + 1) * sizeof *s, 0, pc);
}

/* The object that a pointer of a known type points to; NULL is passed over. */
DH_INLINE void dh_touches_object(uintptr_t at, size_t n, unsigned flags, uint64_t pc)
{
	if (at && dh_touches(pc))
		dh_touch((const void *)at, n, flags, pc);
}

#define DH_READS_OBJECT(p, pc) dh_touches_object((uintptr_t)(p), sizeof *(p), 0, pc)
#define DH_WRITES_OBJECT(p, pc)                                                          \
	dh_touches_object((uintptr_t)(p), sizeof *(p), DH_ACCESS_WRITE, pc)

/* Around a real function that calls the program back or allocates for it: the call is
 * part of the stack meanwhile. */
DH_INLINE void dh_call_begin(uint64_t pc)
{
	struct dh_self *t = dh_thread_self();
	if (DH_LIKELY(t->state != NULL))
		dh_thread_enter(t, pc);
}

DH_INLINE void dh_call_end(void)
{
	struct dh_self *t = dh_thread_self();
	if (DH_LIKELY(t->state != NULL))
		dh_thread_exit(t);
}

#endif
