/* SPDX-License-Identifier: MIT */
/*
 * memcpy and its kin, under their own names and those that compilers give them
 * (__tsan_memcpy, __memcpy_chk). They are called before anything is set up, by the
 * dynamic loader's friends and by constructors: as long as the C library's are not
 * known, those of bytes.h do the work.
 *
 * memcmp reads all its bytes, as the C standard has it; a search reads as far as it
 * goes.
 *
 * To be compiled without builtin functions and without merging equal ones: else memcmp
 * may become a call of bcmp, and that one of memcmp.
 */
#define _GNU_SOURCE
#define DH_DEFINES_BYTES
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"

DH_REAL_WANT(memcpy);
DH_REAL_WANT(memmove);
DH_REAL_WANT(memset);
DH_REAL_WANT(memcmp);
DH_REAL_WANT(memchr);
DH_REAL_WANT(memrchr);
DH_REAL_WANT(rawmemchr);
DH_REAL_WANT(memmem);
DH_REAL_WANT(memccpy);
DH_REAL_WANT(swab);

_Noreturn void __chk_fail(void);

/* ---- copying and filling ---- */

DH_INLINE void *copy(void *to, const void *from, size_t n, uint64_t pc)
{
	if (dh_touches(pc)) {
		dh_touch(from, n, 0, pc);
		dh_touch(to, n, DH_ACCESS_WRITE, pc);
	}
	return DH_LIKELY(dh_real_memcpy != NULL) ? dh_real_memcpy(to, from, n)
						 : dh_bytes_copy(to, from, n);
}

DH_INLINE void *move(void *to, const void *from, size_t n, uint64_t pc)
{
	if (dh_touches(pc)) {
		dh_touch(from, n, 0, pc);
		dh_touch(to, n, DH_ACCESS_WRITE, pc);
	}
	return DH_LIKELY(dh_real_memmove != NULL) ? dh_real_memmove(to, from, n)
						  : dh_bytes_move(to, from, n);
}

DH_INLINE void *fill(void *to, int byte, size_t n, uint64_t pc)
{
	dh_writes(to, n, pc);
	return DH_LIKELY(dh_real_memset != NULL) ? dh_real_memset(to, byte, n)
						 : dh_bytes_fill(to, byte, n);
}

#define COPY(name, how)                                                                  \
	DH_EXPORT void *name(void *to, const void *from, size_t n);                      \
	void *name(void *to, const void *from, size_t n)                                 \
	{                                                                                \
		return how(to, from, n, DH_CALLER());                                    \
	}
#define COPY_CHECKED(name, how, end)                                                     \
	DH_EXPORT void *name(void *to, const void *from, size_t n, size_t room);         \
	void *name(void *to, const void *from, size_t n, size_t room)                    \
	{                                                                                \
		if (n > room)                                                            \
			__chk_fail();                                                    \
		return (char *)how(to, from, n, DH_CALLER()) + ((end) ? n : 0);          \
	}
#define FILL(name)                                                                       \
	DH_EXPORT void *name(void *to, int byte, size_t n);                              \
	void *name(void *to, int byte, size_t n)                                         \
	{                                                                                \
		return fill(to, byte, n, DH_CALLER());                                   \
	}

COPY(memcpy, copy)
COPY(__tsan_memcpy, copy)
COPY(memmove, move)
COPY(__tsan_memmove, move)
COPY_CHECKED(__memcpy_chk, copy, false)
COPY_CHECKED(__memmove_chk, move, false)
COPY_CHECKED(__mempcpy_chk, copy, true)
FILL(memset)
FILL(__tsan_memset)

DH_EXPORT void *mempcpy(void *to, const void *from, size_t n)
{
	return (char *)copy(to, from, n, DH_CALLER()) + n;
}

DH_EXPORT void *__mempcpy(void *to, const void *from, size_t n)
{
	return (char *)copy(to, from, n, DH_CALLER()) + n;
}

DH_EXPORT void *__memset_chk(void *to, int byte, size_t n, size_t room);
void *__memset_chk(void *to, int byte, size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
	return fill(to, byte, n, DH_CALLER());
}

DH_EXPORT void bzero(void *to, size_t n)
{
	fill(to, 0, n, DH_CALLER());
}

DH_EXPORT void explicit_bzero(void *to, size_t n)
{
	fill(to, 0, n, DH_CALLER());
}

DH_EXPORT void __explicit_bzero_chk(void *to, size_t n, size_t room);
void __explicit_bzero_chk(void *to, size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
	fill(to, 0, n, DH_CALLER());
}

DH_EXPORT void bcopy(const void *from, void *to, size_t n)
{
	move(to, from, n, DH_CALLER());
}

DH_EXPORT void *memccpy(void *to, const void *from, int byte, size_t n)
{
	uint64_t pc = DH_CALLER();
	char *end = DH_REAL(memccpy)(to, from, byte, n);
	size_t done = end ? (size_t)(end - (char *)to) : n;
	dh_reads(from, done, pc);
	dh_writes(to, done, pc);
	return end;
}

/* In pairs: of an odd number the last is left out. */
DH_EXPORT void swab(const void *from, void *to, ssize_t n)
{
	uint64_t pc = DH_CALLER();
	size_t done = n > 0 ? (size_t)n & ~(size_t)1 : 0;
	dh_reads(from, done, pc);
	dh_writes(to, done, pc);
	DH_REAL(swab)(from, to, n);
}

/* ---- comparing ---- */

DH_INLINE int compare(const void *a, const void *b, size_t n, uint64_t pc)
{
	if (dh_touches(pc)) {
		dh_touch(a, n, 0, pc);
		dh_touch(b, n, 0, pc);
	}
	return DH_LIKELY(dh_real_memcmp != NULL) ? dh_real_memcmp(a, b, n)
						 : dh_bytes_compare(a, b, n);
}

DH_EXPORT int memcmp(const void *a, const void *b, size_t n)
{
	return compare(a, b, n, DH_CALLER());
}

DH_EXPORT int bcmp(const void *a, const void *b, size_t n)
{
	return compare(a, b, n, DH_CALLER());
}

/* glibc's name for a memcmp of which only zero or not is wanted. */
DH_EXPORT int __memcmpeq(const void *a, const void *b, size_t n);
int __memcmpeq(const void *a, const void *b, size_t n)
{
	return compare(a, b, n, DH_CALLER());
}

/* ---- searching ---- */

static size_t up_to(const void *from, const void *found, size_t n)
{
	return found ? (size_t)((const char *)found - (const char *)from) + 1 : n;
}

DH_EXPORT void *memchr(const void *in, int byte, size_t n)
{
	void *found = DH_REAL(memchr)(in, byte, n);
	dh_reads(in, up_to(in, found, n), DH_CALLER());
	return found;
}

DH_EXPORT void *memrchr(const void *in, int byte, size_t n)
{
	char *found = DH_REAL(memrchr)(in, byte, n);
	const char *start = found ? found : (const char *)in;
	dh_reads(start, (size_t)((const char *)in + n - start), DH_CALLER());
	return found;
}

DH_EXPORT void *rawmemchr(const void *in, int byte)
{
	void *found = DH_REAL(rawmemchr)(in, byte);
	dh_reads(in, up_to(in, found, 0), DH_CALLER());
	return found;
}

DH_EXPORT void *memmem(const void *in, size_t n, const void *what, size_t len)
{
	uint64_t pc = DH_CALLER();
	char *found = DH_REAL(memmem)(in, n, what, len);
	dh_reads(in, found ? (size_t)(found - (const char *)in) + len : n, pc);
	dh_reads(what, len, pc);
	return found;
}
