/* SPDX-License-Identifier: MIT */
/*
 * Functions on zero-ended text. Each tells of what it reads and writes, as far as it
 * goes; a search up to what it found. A comparison reads both texts up to the end of the
 * shorter one: they are given to it as texts, and where it stops is its own affair (the C
 * library's compare many characters at a time).
 */
#define _GNU_SOURCE
#define DH_DEFINES_BYTES
#include <string.h>
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"

_Noreturn void __chk_fail(void);

/* ---- length ---- */

DH_REAL_WANT(strlen);
DH_REAL_WANT(strnlen);

DH_INLINE size_t length(const char *s)
{
	return DH_LIKELY(dh_real_strlen != NULL) ? dh_real_strlen(s) : dh_bytes_length(s);
}

/* Bytes that a function reads of a text of which it wants n at most. */
DH_INLINE size_t reach(const char *s, size_t n)
{
	size_t len = DH_REAL(strnlen)(s, n);
	return len < n ? len + 1 : n;
}

DH_EXPORT size_t strlen(const char *s)
{
	size_t n = length(s);
	dh_reads(s, n + 1, DH_CALLER());
	return n;
}

DH_EXPORT size_t strnlen(const char *s, size_t max)
{
	size_t n = DH_REAL(strnlen)(s, max);
	dh_reads(s, n < max ? n + 1 : max, DH_CALLER());
	return n;
}

/* ---- copying ---- */

DH_REAL_WANT(strcpy);
DH_REAL_WANT(strncpy);
DH_REAL_WANT(stpncpy);

/* Returns the length. */
DH_INLINE size_t copy_text(char *to, const char *from, uint64_t pc)
{
	size_t n = length(from);
	if (dh_touches(pc)) {
		dh_touch(from, n + 1, 0, pc);
		dh_touch(to, n + 1, DH_ACCESS_WRITE, pc);
	}
	DH_REAL(strcpy)(to, from);
	return n;
}

DH_INLINE void copy_some(char *to, const char *from, size_t n, uint64_t pc)
{
	if (!dh_touches(pc))
		return;
	dh_touch(from, reach(from, n), 0, pc);
	dh_touch(to, n, DH_ACCESS_WRITE, pc);
}

DH_EXPORT char *strcpy(char *to, const char *from)
{
	copy_text(to, from, DH_CALLER());
	return to;
}

DH_EXPORT char *stpcpy(char *to, const char *from)
{
	return to + copy_text(to, from, DH_CALLER());
}

DH_EXPORT char *__stpcpy(char *to, const char *from)
{
	return to + copy_text(to, from, DH_CALLER());
}

DH_EXPORT char *__strcpy_chk(char *to, const char *from, size_t room);
char *__strcpy_chk(char *to, const char *from, size_t room)
{
	if (length(from) >= room)
		__chk_fail();
	copy_text(to, from, DH_CALLER());
	return to;
}

DH_EXPORT char *__stpcpy_chk(char *to, const char *from, size_t room);
char *__stpcpy_chk(char *to, const char *from, size_t room)
{
	if (length(from) >= room)
		__chk_fail();
	return to + copy_text(to, from, DH_CALLER());
}

DH_EXPORT char *strncpy(char *to, const char *from, size_t n)
{
	copy_some(to, from, n, DH_CALLER());
	return DH_REAL(strncpy)(to, from, n);
}

DH_EXPORT char *stpncpy(char *to, const char *from, size_t n)
{
	copy_some(to, from, n, DH_CALLER());
	return DH_REAL(stpncpy)(to, from, n);
}

DH_EXPORT char *__strncpy_chk(char *to, const char *from, size_t n, size_t room);
char *__strncpy_chk(char *to, const char *from, size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
	copy_some(to, from, n, DH_CALLER());
	return DH_REAL(strncpy)(to, from, n);
}

/* ---- appending ---- */

/* At most n bytes of `from`; room is that of `to`. */
DH_INLINE char *append(char *to, const char *from, size_t n, size_t room, uint64_t pc)
{
	size_t have = length(to);
	size_t len = n == SIZE_MAX ? length(from) : DH_REAL(strnlen)(from, n);
	if (room != SIZE_MAX && have + len >= room)
		__chk_fail();
	if (dh_touches(pc)) {
		dh_touch(to, have + 1, 0, pc);
		dh_touch(from, len < n ? len + 1 : n, 0, pc);
		dh_touch(to + have, len + 1, DH_ACCESS_WRITE, pc);
	}
	dh_bytes_copy(to + have, from, len);
	to[have + len] = 0;
	return to;
}

DH_EXPORT char *strcat(char *to, const char *from)
{
	return append(to, from, SIZE_MAX, SIZE_MAX, DH_CALLER());
}

DH_EXPORT char *strncat(char *to, const char *from, size_t n)
{
	return append(to, from, n, SIZE_MAX, DH_CALLER());
}

DH_EXPORT char *__strcat_chk(char *to, const char *from, size_t room);
char *__strcat_chk(char *to, const char *from, size_t room)
{
	return append(to, from, SIZE_MAX, room, DH_CALLER());
}

DH_EXPORT char *__strncat_chk(char *to, const char *from, size_t n, size_t room);
char *__strncat_chk(char *to, const char *from, size_t n, size_t room)
{
	return append(to, from, n, room, DH_CALLER());
}

/* ---- comparing ---- */

DH_REAL_WANT(strcmp);
DH_REAL_WANT(strncmp);
DH_REAL_WANT(strcasecmp);
DH_REAL_WANT(strncasecmp);
DH_REAL_WANT(strcoll);
DH_REAL_WANT(strverscmp);
DH_REAL_WANT(strxfrm);

/* Both texts up to the end of the shorter one, at most n bytes. */
static void reads_both(const char *a, const char *b, size_t n, uint64_t pc)
{
	if (!dh_touches(pc))
		return;
	dh_expect(a);
	dh_expect(b);
	size_t m = dh_bytes_shorter(a, b, n);
	m += m < n;
	dh_touch(a, m, 0, pc);
	dh_touch(b, m, 0, pc);
}

DH_EXPORT int strcmp(const char *a, const char *b)
{
	reads_both(a, b, SIZE_MAX, DH_CALLER());
	return DH_REAL(strcmp)(a, b);
}

DH_EXPORT int strncmp(const char *a, const char *b, size_t n)
{
	reads_both(a, b, n, DH_CALLER());
	return DH_REAL(strncmp)(a, b, n);
}

DH_EXPORT int strcasecmp(const char *a, const char *b)
{
	reads_both(a, b, SIZE_MAX, DH_CALLER());
	return DH_REAL(strcasecmp)(a, b);
}

DH_EXPORT int strncasecmp(const char *a, const char *b, size_t n)
{
	reads_both(a, b, n, DH_CALLER());
	return DH_REAL(strncasecmp)(a, b, n);
}

DH_EXPORT int strcoll(const char *a, const char *b)
{
	uint64_t pc = DH_CALLER();
	dh_reads_text(a, pc);
	dh_reads_text(b, pc);
	return DH_REAL(strcoll)(a, b);
}

DH_REAL_WANT(strcasecmp_l);
DH_EXPORT int strcasecmp_l(const char *a, const char *b, locale_t locale)
{
	reads_both(a, b, SIZE_MAX, DH_CALLER());
	return DH_REAL(strcasecmp_l)(a, b, locale);
}

DH_REAL_WANT(strncasecmp_l);
DH_EXPORT int strncasecmp_l(const char *a, const char *b, size_t n, locale_t locale)
{
	reads_both(a, b, n, DH_CALLER());
	return DH_REAL(strncasecmp_l)(a, b, n, locale);
}

DH_REAL_WANT(strcoll_l);
DH_EXPORT int strcoll_l(const char *a, const char *b, locale_t locale)
{
	uint64_t pc = DH_CALLER();
	dh_reads_text(a, pc);
	dh_reads_text(b, pc);
	return DH_REAL(strcoll_l)(a, b, locale);
}

DH_EXPORT int strverscmp(const char *a, const char *b)
{
	reads_both(a, b, SIZE_MAX, DH_CALLER());
	return DH_REAL(strverscmp)(a, b);
}

/* ---- changing in place ---- */

DH_REAL_WANT(memfrob);
DH_EXPORT void *memfrob(void *s, size_t n)
{
	dh_writes(s, n, DH_CALLER());
	return DH_REAL(memfrob)(s, n);
}

/* The zero stays where it is. */
DH_REAL_WANT(strfry);
DH_EXPORT char *strfry(char *s)
{
	dh_writes(s, dh_bytes_length(s), DH_CALLER());
	return DH_REAL(strfry)(s);
}

/* ---- by the language's order ---- */

/* Where there is too little room, what is written means nothing, and is. */
DH_EXPORT size_t strxfrm(char *to, const char *from, size_t room)
{
	uint64_t pc = DH_CALLER();
	dh_reads_text(from, pc);
	size_t n = DH_REAL(strxfrm)(to, from, room);
	if (room)
		dh_writes(to, n < room ? n + 1 : room, pc);
	return n;
}

DH_REAL_WANT(strxfrm_l);
DH_EXPORT size_t strxfrm_l(char *to, const char *from, size_t room, locale_t locale)
{
	uint64_t pc = DH_CALLER();
	dh_reads_text(from, pc);
	size_t n = DH_REAL(strxfrm_l)(to, from, room, locale);
	if (room)
		dh_writes(to, n < room ? n + 1 : room, pc);
	return n;
}

/* ---- allocating ---- */

DH_REAL_WANT(strdup);
DH_REAL_WANT(strndup);
DH_EXPORT char *__strdup(const char *s);
DH_REAL_WANT(__strdup);

#define DUPLICATE(name)                                                                  \
	DH_EXPORT char *name(const char *s)                                              \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		dh_reads_text(s, pc);                                                    \
		dh_call_begin(pc);                                                       \
		char *made = DH_REAL(name)(s);                                           \
		dh_call_end();                                                           \
		return made;                                                             \
	}
DUPLICATE(strdup)
DUPLICATE(__strdup)

DH_EXPORT char *strndup(const char *s, size_t n)
{
	uint64_t pc = DH_CALLER();
	if (dh_touches(pc))
		dh_reads(s, reach(s, n), pc);
	dh_call_begin(pc);
	char *made = DH_REAL(strndup)(s, n);
	dh_call_end();
	return made;
}
