/* SPDX-License-Identifier: MIT */
/* Streams of wide characters: their lines and texts, and who writes before who reads at
 * the other end; see stdio.c. */
#define _GNU_SOURCE
#include <stdio.h>
#include <wchar.h>
#include "runtime/intercept/real.h"
#include "runtime/intercept/stream.h"
#include "runtime/intercept/touch.h"

DH_REAL_WANT(wcslen);

static size_t bytes_of(const wchar_t *s)
{
	return (DH_REAL(wcslen)(s) + 1) * sizeof *s;
}

#define READ_LINE(name)                                                                  \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT wchar_t *name(wchar_t *to, int n, FILE *f)                             \
	{                                                                                \
		wchar_t *got = DH_REAL(name)(to, n, f);                                  \
		dh_stream_acquire(f, DH_CALLER());                                       \
		if (got)                                                                 \
			dh_writes(got, bytes_of(got), DH_CALLER());                      \
		return got;                                                              \
	}
READ_LINE(fgetws)
READ_LINE(fgetws_unlocked)

DH_EXPORT wchar_t *__fgetws_chk(wchar_t *to, size_t room, int n, FILE *f);
DH_REAL_WANT(__fgetws_chk);
wchar_t *__fgetws_chk(wchar_t *to, size_t room, int n, FILE *f)
{
	wchar_t *got = DH_REAL(__fgetws_chk)(to, room, n, f);
	dh_stream_acquire(f, DH_CALLER());
	if (got)
		dh_writes(got, bytes_of(got), DH_CALLER());
	return got;
}

#define WRITE_TEXT(name)                                                                 \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(const wchar_t *s, FILE *f)                                    \
	{                                                                                \
		dh_reads(s, bytes_of(s), DH_CALLER());                                   \
		dh_stream_release(f);                                                    \
		return DH_REAL(name)(s, f);                                              \
	}
WRITE_TEXT(fputws)
WRITE_TEXT(fputws_unlocked)

#define PUT(name)                                                                        \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT wint_t name(wchar_t c, FILE *f)                                        \
	{                                                                                \
		dh_stream_release(f);                                                    \
		return DH_REAL(name)(c, f);                                              \
	}
PUT(fputwc)
PUT(fputwc_unlocked)
PUT(putwc)
PUT(putwc_unlocked)

#define PUT_OUT(name)                                                                    \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT wint_t name(wchar_t c)                                                 \
	{                                                                                \
		dh_stream_release(stdout);                                               \
		return DH_REAL(name)(c);                                                 \
	}
PUT_OUT(putwchar)
PUT_OUT(putwchar_unlocked)

#define GET(name)                                                                        \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT wint_t name(FILE *f)                                                   \
	{                                                                                \
		wint_t c = DH_REAL(name)(f);                                             \
		dh_stream_acquire(f, DH_CALLER());                                       \
		return c;                                                                \
	}
GET(fgetwc)
GET(fgetwc_unlocked)
GET(getwc)
GET(getwc_unlocked)

#define GET_IN(name)                                                                     \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT wint_t name(void)                                                      \
	{                                                                                \
		wint_t c = DH_REAL(name)();                                              \
		dh_stream_acquire(stdin, DH_CALLER());                                   \
		return c;                                                                \
	}
GET_IN(getwchar)
GET_IN(getwchar_unlocked)
