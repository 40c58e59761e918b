/* SPDX-License-Identifier: MIT */
/* The common functions on wide characters; see memory.c and string.c for the rules. */
#define _GNU_SOURCE
#include <time.h>
#include <wchar.h>
#include <wctype.h>
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"

enum { WIDE = sizeof(wchar_t) };

DH_REAL_WANT(wcslen);
DH_REAL_WANT(wcsnlen);

/* Characters that a function reads of a text of which it wants n at most. */
static size_t reach(const wchar_t *s, size_t n)
{
	size_t len = n == SIZE_MAX ? DH_REAL(wcslen)(s) : DH_REAL(wcsnlen)(s, n);
	return len < n ? len + 1 : n;
}

static void reads_wide(const wchar_t *s, size_t n, uint64_t pc)
{
	if (dh_touches(pc))
		dh_reads(s, reach(s, n) * WIDE, pc);
}

static void reads_up_to(const wchar_t *s, const wchar_t *found, uint64_t pc)
{
	if (found)
		dh_reads(s, (size_t)(found - s + 1) * WIDE, pc);
	else
		reads_wide(s, SIZE_MAX, pc);
}

DH_EXPORT size_t wcslen(const wchar_t *s)
{
	size_t n = DH_REAL(wcslen)(s);
	dh_reads(s, (n + 1) * WIDE, DH_CALLER());
	return n;
}

DH_EXPORT size_t wcsnlen(const wchar_t *s, size_t max)
{
	size_t n = DH_REAL(wcsnlen)(s, max);
	dh_reads(s, (n < max ? n + 1 : max) * WIDE, DH_CALLER());
	return n;
}

/* ---- copying ---- */

DH_REAL_WANT(wcsncpy);
DH_REAL_WANT(wcscat);
DH_REAL_WANT(wcsncat);
DH_REAL_WANT(wcsdup);
DH_REAL_WANT(wmemset);

#define COPY(name)                                                                       \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT wchar_t *name(wchar_t *to, const wchar_t *from)                        \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		size_t n = DH_REAL(wcslen)(from) + 1;                                    \
		dh_reads(from, n *WIDE, pc);                                             \
		dh_writes(to, n *WIDE, pc);                                              \
		return DH_REAL(name)(to, from);                                          \
	}
COPY(wcscpy)
COPY(wcpcpy)

DH_EXPORT wchar_t *wcsncpy(wchar_t *to, const wchar_t *from, size_t n)
{
	uint64_t pc = DH_CALLER();
	reads_wide(from, n, pc);
	dh_writes(to, n * WIDE, pc);
	return DH_REAL(wcsncpy)(to, from, n);
}

DH_EXPORT wchar_t *wcscat(wchar_t *to, const wchar_t *from)
{
	uint64_t pc = DH_CALLER();
	size_t have = DH_REAL(wcslen)(to), n = DH_REAL(wcslen)(from) + 1;
	dh_reads(to, (have + 1) * WIDE, pc);
	dh_reads(from, n * WIDE, pc);
	dh_writes(to + have, n * WIDE, pc);
	return DH_REAL(wcscat)(to, from);
}

DH_EXPORT wchar_t *wcsncat(wchar_t *to, const wchar_t *from, size_t n)
{
	uint64_t pc = DH_CALLER();
	size_t have = DH_REAL(wcslen)(to), add = DH_REAL(wcsnlen)(from, n);
	dh_reads(to, (have + 1) * WIDE, pc);
	reads_wide(from, n, pc);
	dh_writes(to + have, (add + 1) * WIDE, pc);
	return DH_REAL(wcsncat)(to, from, n);
}

DH_EXPORT wchar_t *wcsdup(const wchar_t *s)
{
	uint64_t pc = DH_CALLER();
	reads_wide(s, SIZE_MAX, pc);
	dh_call_begin(pc);
	wchar_t *made = DH_REAL(wcsdup)(s);
	dh_call_end();
	return made;
}

#define COPY_SOME(name)                                                                  \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT wchar_t *name(wchar_t *to, const wchar_t *from, size_t n)              \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		dh_reads(from, n *WIDE, pc);                                             \
		dh_writes(to, n *WIDE, pc);                                              \
		return DH_REAL(name)(to, from, n);                                       \
	}
COPY_SOME(wmemcpy)
COPY_SOME(wmemmove)
COPY_SOME(wmempcpy)

DH_REAL_WANT(wcsxfrm);
DH_EXPORT size_t wcsxfrm(wchar_t *to, const wchar_t *from, size_t room)
{
	uint64_t pc = DH_CALLER();
	reads_wide(from, SIZE_MAX, pc);
	size_t n = DH_REAL(wcsxfrm)(to, from, room);
	dh_writes(to, DH_MIN(n + 1, room) * WIDE, pc);
	return n;
}

DH_EXPORT wchar_t *wmemset(wchar_t *to, wchar_t c, size_t n)
{
	dh_writes(to, n * WIDE, DH_CALLER());
	return DH_REAL(wmemset)(to, c, n);
}

/* ---- comparing and searching ---- */

DH_REAL_WANT(wcscmp);
DH_REAL_WANT(wcsncmp);
DH_REAL_WANT(wmemcmp);
DH_REAL_WANT(wmemchr);
DH_REAL_WANT(wcschr);
DH_REAL_WANT(wcsrchr);
DH_REAL_WANT(wcsstr);

static bool same(wchar_t a, wchar_t b, bool any_case)
{
	return a == b || (any_case && towlower((wint_t)a) == towlower((wint_t)b));
}

/* The first that differs, or ends one of them, is the last that is read. */
static void reads_both(const wchar_t *a, const wchar_t *b, size_t n, bool any_case,
		       uint64_t pc)
{
	size_t i = 0;
	while (i < n && a[i] && same(a[i], b[i], any_case))
		i++;
	i += i < n;
	dh_reads(a, i * WIDE, pc);
	dh_reads(b, i * WIDE, pc);
}

DH_EXPORT int wcscmp(const wchar_t *a, const wchar_t *b)
{
	reads_both(a, b, SIZE_MAX, false, DH_CALLER());
	return DH_REAL(wcscmp)(a, b);
}

DH_EXPORT int wcsncmp(const wchar_t *a, const wchar_t *b, size_t n)
{
	reads_both(a, b, n, false, DH_CALLER());
	return DH_REAL(wcsncmp)(a, b, n);
}

DH_EXPORT int wmemcmp(const wchar_t *a, const wchar_t *b, size_t n)
{
	uint64_t pc = DH_CALLER();
	dh_reads(a, n * WIDE, pc);
	dh_reads(b, n * WIDE, pc);
	return DH_REAL(wmemcmp)(a, b, n);
}

DH_EXPORT wchar_t *wmemchr(const wchar_t *s, wchar_t c, size_t n)
{
	wchar_t *found = DH_REAL(wmemchr)(s, c, n);
	dh_reads(s, (found ? (size_t)(found - s) + 1 : n) * WIDE, DH_CALLER());
	return found;
}

DH_EXPORT wchar_t *wcschr(const wchar_t *s, wchar_t c)
{
	wchar_t *found = DH_REAL(wcschr)(s, c);
	reads_up_to(s, found, DH_CALLER());
	return found;
}

/* How far it goes in s a set of characters tells. */
#define SPAN(name)                                                                       \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT size_t name(const wchar_t *s, const wchar_t *set)                      \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		size_t n = DH_REAL(name)(s, set);                                        \
		reads_wide(set, SIZE_MAX, pc);                                           \
		dh_reads(s, (n + 1) * WIDE, pc);                                         \
		return n;                                                                \
	}
SPAN(wcsspn)
SPAN(wcscspn)

DH_REAL_WANT(wcspbrk);
DH_EXPORT wchar_t *wcspbrk(const wchar_t *s, const wchar_t *set)
{
	uint64_t pc = DH_CALLER();
	wchar_t *found = DH_REAL(wcspbrk)(s, set);
	reads_wide(set, SIZE_MAX, pc);
	reads_up_to(s, found, pc);
	return found;
}

/* Writes the end of a piece into the text, and where it goes on. */
DH_REAL_WANT(wcstok);
DH_EXPORT wchar_t *wcstok(wchar_t *s, const wchar_t *set, wchar_t **rest)
{
	uint64_t pc = DH_CALLER();
	reads_wide(set, SIZE_MAX, pc);
	if (!s)
		DH_READS_OBJECT(rest, pc);
	if (s || *rest)
		reads_wide(s ? s : *rest, SIZE_MAX, pc);
	wchar_t *piece = DH_REAL(wcstok)(s, set, rest);
	DH_WRITES_OBJECT(rest, pc);
	if (piece && *rest > piece && !(*rest)[-1])
		DH_WRITES_OBJECT(*rest - 1, pc);
	return piece;
}

/* By the rules of a language: all of both may matter. */
DH_REAL_WANT(wcscoll);
DH_EXPORT int wcscoll(const wchar_t *a, const wchar_t *b)
{
	uint64_t pc = DH_CALLER();
	reads_wide(a, SIZE_MAX, pc);
	reads_wide(b, SIZE_MAX, pc);
	return DH_REAL(wcscoll)(a, b);
}

DH_REAL_WANT(wcscasecmp);
DH_EXPORT int wcscasecmp(const wchar_t *a, const wchar_t *b)
{
	reads_both(a, b, SIZE_MAX, true, DH_CALLER());
	return DH_REAL(wcscasecmp)(a, b);
}

DH_REAL_WANT(wcsncasecmp);
DH_EXPORT int wcsncasecmp(const wchar_t *a, const wchar_t *b, size_t n)
{
	reads_both(a, b, n, true, DH_CALLER());
	return DH_REAL(wcsncasecmp)(a, b, n);
}

DH_EXPORT wchar_t *wcsrchr(const wchar_t *s, wchar_t c)
{
	reads_wide(s, SIZE_MAX, DH_CALLER());
	return DH_REAL(wcsrchr)(s, c);
}

DH_EXPORT wchar_t *wcsstr(const wchar_t *s, const wchar_t *what)
{
	uint64_t pc = DH_CALLER();
	wchar_t *found = DH_REAL(wcsstr)(s, what);
	size_t len = DH_REAL(wcslen)(what);
	dh_reads(what, (len + 1) * WIDE, pc);
	reads_up_to(s, found && len ? found + len - 1 : found, pc);
	return found;
}

/* ---- dates ---- */

DH_REAL_WANT(wcsftime);
DH_EXPORT size_t wcsftime(wchar_t *to, size_t room, const wchar_t *format,
			  const struct tm *from)
{
	uint64_t pc = DH_CALLER();
	reads_wide(format, SIZE_MAX, pc);
	DH_READS_OBJECT(from, pc);
	size_t n = DH_REAL(wcsftime)(to, room, format, from);
	if (n)
		dh_writes(to, (n + 1) * WIDE, pc);
	return n;
}
