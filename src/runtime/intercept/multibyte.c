/* SPDX-License-Identifier: MIT */
/*
 * From one encoding to another: texts, characters, iconv(). What is read is what was
 * converted; where a function says no more than that it ran out of room, the least that
 * it must have read.
 */
#define _GNU_SOURCE
#ifndef __NO_INLINE__
#define __NO_INLINE__ /* the headers shall define none of the functions */
#endif
#include <iconv.h>
#include <stdlib.h>
#include <string.h>
#include <uchar.h>
#include <wchar.h>
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"

enum { WIDE = sizeof(wchar_t) };

DH_REAL_WANT(strnlen);
DH_REAL_WANT(wcsnlen);

/* So many were made, of which room was for n; and of what. One at a time may stand for
 * several of the other kind, so n of them are known to be that many bytes, or one wide
 * character. */
static void has_widened(const wchar_t *to, const char *from, size_t made, size_t n,
			uint64_t pc)
{
	if (made == (size_t)-1 || !dh_touches(pc))
		return;
	bool whole = !to || made < n;
	dh_reads(from, whole ? dh_bytes_length(from) + 1 : made, pc);
	if (to)
		dh_writes(to, (made + whole) * WIDE, pc);
}

static void has_narrowed(const char *to, const wchar_t *from, size_t made, size_t n,
			 uint64_t pc)
{
	if (made == (size_t)-1 || !dh_touches(pc))
		return;
	bool whole = !to || made < n;
	size_t read = whole ? DH_REAL(wcsnlen)(from, SIZE_MAX) + 1 : made > 0;
	dh_reads(from, read * WIDE, pc);
	if (to)
		dh_writes(to, made + whole, pc);
}

/* ---- texts ---- */

DH_REAL_WANT(mbstowcs);
DH_EXPORT size_t mbstowcs(wchar_t *to, const char *from, size_t n)
{
	size_t made = DH_REAL(mbstowcs)(to, from, n);
	has_widened(to, from, made, n, DH_CALLER());
	return made;
}

DH_REAL_WANT(wcstombs);
DH_EXPORT size_t wcstombs(char *to, const wchar_t *from, size_t n)
{
	size_t made = DH_REAL(wcstombs)(to, from, n);
	has_narrowed(to, from, made, n, DH_CALLER());
	return made;
}

DH_EXPORT size_t __mbstowcs_chk(wchar_t *to, const char *from, size_t n, size_t room);
DH_REAL_WANT(__mbstowcs_chk);
size_t __mbstowcs_chk(wchar_t *to, const char *from, size_t n, size_t room)
{
	size_t made = DH_REAL(__mbstowcs_chk)(to, from, n, room);
	has_widened(to, from, made, n, DH_CALLER());
	return made;
}

DH_EXPORT size_t __wcstombs_chk(char *to, const wchar_t *from, size_t n, size_t room);
DH_REAL_WANT(__wcstombs_chk);
size_t __wcstombs_chk(char *to, const wchar_t *from, size_t n, size_t room)
{
	size_t made = DH_REAL(__wcstombs_chk)(to, from, n, room);
	has_narrowed(to, from, made, n, DH_CALLER());
	return made;
}

/* ---- texts, in pieces: where the next begins is written back ---- */

static void has_moved(const void *to, void *const *from, const mbstate_t *state,
		      uint64_t pc)
{
	DH_READS_OBJECT(from, pc);
	if (to)
		DH_WRITES_OBJECT(from, pc);
	DH_WRITES_OBJECT(state, pc);
}

static void has_widened_piece(const wchar_t *to, const char **from, const char *was,
			      size_t most, size_t made, mbstate_t *state, uint64_t pc)
{
	if (made == (size_t)-1 || !dh_touches(pc))
		return;
	bool whole = !to || !*from;
	size_t read = !whole ? (size_t)(*from - was) : DH_REAL(strnlen)(was, most);
	dh_reads(was, read + (whole && read < most), pc);
	if (to)
		dh_writes(to, (made + whole) * WIDE, pc);
	has_moved(to, (void *const *)from, state, pc);
}

static void has_narrowed_piece(const char *to, const wchar_t **from, const wchar_t *was,
			       size_t most, size_t made, mbstate_t *state, uint64_t pc)
{
	if (made == (size_t)-1 || !dh_touches(pc))
		return;
	bool whole = !to || !*from;
	size_t read = !whole ? (size_t)(*from - was) : DH_REAL(wcsnlen)(was, most);
	dh_reads(was, (read + (whole && read < most)) * WIDE, pc);
	if (to)
		dh_writes(to, made + whole, pc);
	has_moved(to, (void *const *)from, state, pc);
}

DH_REAL_WANT(mbsrtowcs);
DH_EXPORT size_t mbsrtowcs(wchar_t *to, const char **from, size_t n, mbstate_t *state)
{
	const char *was = *from;
	size_t made = DH_REAL(mbsrtowcs)(to, from, n, state);
	has_widened_piece(to, from, was, SIZE_MAX, made, state, DH_CALLER());
	return made;
}

DH_REAL_WANT(mbsnrtowcs);
DH_EXPORT size_t mbsnrtowcs(wchar_t *to, const char **from, size_t most, size_t n,
			    mbstate_t *state)
{
	const char *was = *from;
	size_t made = DH_REAL(mbsnrtowcs)(to, from, most, n, state);
	has_widened_piece(to, from, was, most, made, state, DH_CALLER());
	return made;
}

DH_REAL_WANT(wcsrtombs);
DH_EXPORT size_t wcsrtombs(char *to, const wchar_t **from, size_t n, mbstate_t *state)
{
	const wchar_t *was = *from;
	size_t made = DH_REAL(wcsrtombs)(to, from, n, state);
	has_narrowed_piece(to, from, was, SIZE_MAX, made, state, DH_CALLER());
	return made;
}

DH_REAL_WANT(wcsnrtombs);
DH_EXPORT size_t wcsnrtombs(char *to, const wchar_t **from, size_t most, size_t n,
			    mbstate_t *state)
{
	const wchar_t *was = *from;
	size_t made = DH_REAL(wcsnrtombs)(to, from, most, n, state);
	has_narrowed_piece(to, from, was, most, made, state, DH_CALLER());
	return made;
}

/* ---- characters ---- */

/* Of a character: its length, or 0 for the one that ends a text, or less for an error. */
static void has_read_one(const wchar_t *to, const char *from, ssize_t n, uint64_t pc)
{
	if (n < 0 || !from)
		return;
	dh_reads(from, n ? (size_t)n : 1, pc);
	DH_WRITES_OBJECT(to, pc);
}

DH_REAL_WANT(mbtowc);
DH_EXPORT int mbtowc(wchar_t *to, const char *from, size_t most)
{
	int n = DH_REAL(mbtowc)(to, from, most);
	has_read_one(to, from, n, DH_CALLER());
	return n;
}

DH_REAL_WANT(mbrtowc);
DH_EXPORT size_t mbrtowc(wchar_t *to, const char *from, size_t most, mbstate_t *state)
{
	uint64_t pc = DH_CALLER();
	size_t n = DH_REAL(mbrtowc)(to, from, most, state);
	has_read_one(to, from, (ssize_t)n, pc);
	DH_WRITES_OBJECT(state, pc);
	return n;
}

DH_REAL_WANT(mblen);
DH_EXPORT int mblen(const char *from, size_t most)
{
	int n = DH_REAL(mblen)(from, most);
	if (from && n >= 0)
		dh_reads(from, n ? (size_t)n : 1, DH_CALLER());
	return n;
}

DH_REAL_WANT(mbrlen);
DH_EXPORT size_t mbrlen(const char *from, size_t most, mbstate_t *state)
{
	uint64_t pc = DH_CALLER();
	ssize_t n = (ssize_t)DH_REAL(mbrlen)(from, most, state);
	if (from && n >= 0)
		dh_reads(from, n ? (size_t)n : 1, pc);
	DH_WRITES_OBJECT(state, pc);
	return (size_t)n;
}

DH_REAL_WANT(wctomb);
DH_EXPORT int wctomb(char *to, wchar_t c)
{
	int n = DH_REAL(wctomb)(to, c);
	if (to && n > 0)
		dh_writes(to, (size_t)n, DH_CALLER());
	return n;
}

DH_REAL_WANT(wcrtomb);
DH_EXPORT size_t wcrtomb(char *to, wchar_t c, mbstate_t *state)
{
	uint64_t pc = DH_CALLER();
	size_t n = DH_REAL(wcrtomb)(to, c, state);
	if (to && n != (size_t)-1)
		dh_writes(to, n, pc);
	DH_WRITES_OBJECT(state, pc);
	return n;
}

/* The same of UTF-16 and UTF-32, of which a character may be two; then the second comes
 * from the state, and n is below zero. */
#define READ_UNIT(name, type)                                                            \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT size_t name(type *to, const char *from, size_t most, mbstate_t *state) \
	{                                                                                \
		enum { SECOND = -3 };                                                    \
		uint64_t pc = DH_CALLER();                                               \
		ssize_t n = (ssize_t)DH_REAL(name)(to, from, most, state);               \
		if (from && n >= 0)                                                      \
			dh_reads(from, n ? (size_t)n : 1, pc);                           \
		if (from && (n >= 0 || n == SECOND))                                     \
			DH_WRITES_OBJECT(to, pc);                                        \
		DH_WRITES_OBJECT(state, pc);                                             \
		return (size_t)n;                                                        \
	}
READ_UNIT(mbrtoc16, char16_t)
READ_UNIT(mbrtoc32, char32_t)

#define WRITE_UNIT(name, type)                                                           \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT size_t name(char *to, type c, mbstate_t *state)                        \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		size_t n = DH_REAL(name)(to, c, state);                                  \
		if (to && n != (size_t)-1)                                               \
			dh_writes(to, n, pc);                                            \
		DH_WRITES_OBJECT(state, pc);                                             \
		return n;                                                                \
	}
WRITE_UNIT(c16rtomb, char16_t)
WRITE_UNIT(c32rtomb, char32_t)

/* ---- any encoding ---- */

DH_REAL_WANT(iconv);
DH_EXPORT size_t iconv(iconv_t how, char **from, size_t *left, char **to, size_t *room)
{
	uint64_t pc = DH_CALLER();
	const char *source = from ? *from : NULL, *target = to ? *to : NULL;
	size_t n = DH_REAL(iconv)(how, from, left, to, room);
	if (source) {
		dh_reads(source, (size_t)(*from - source), pc);
		DH_WRITES_OBJECT(from, pc);
		DH_WRITES_OBJECT(left, pc);
	}
	if (target) {
		dh_writes(target, (size_t)(*to - target), pc);
		DH_WRITES_OBJECT(to, pc);
		DH_WRITES_OBJECT(room, pc);
	}
	return n;
}
