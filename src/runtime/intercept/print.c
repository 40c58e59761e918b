/* SPDX-License-Identifier: MIT */
/*
 * The printf family, of both kinds of characters. All forms come down to the real
 * function that takes a va_list; the
 * __*_chk ones are what the others are with _FORTIFY_SOURCE. What sprintf writes is the
 * text that it made, and what snprintf writes as much of it as fits.
 */
#define _GNU_SOURCE
#ifndef __NO_INLINE__
#define __NO_INLINE__ /* the headers shall define none of the functions */
#endif
#include <stdio.h>
#include <stdlib.h>
#include <syslog.h>
#include <wchar.h>
#include "runtime/intercept/format.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/stream.h"

/* ---- the forms with a va_list ---- */

DH_REAL_WANT(vprintf);
DH_REAL_WANT(vfprintf);
DH_REAL_WANT(vdprintf);
DH_REAL_WANT(vsprintf);
DH_REAL_WANT(vsnprintf);
DH_REAL_WANT(vasprintf);
DH_REAL_WANT(vwprintf);
DH_REAL_WANT(vfwprintf);
DH_REAL_WANT(vswprintf);

int __vprintf_chk(int flag, const char *format, va_list ap);
int __vfprintf_chk(FILE *f, int flag, const char *format, va_list ap);
int __vdprintf_chk(int fd, int flag, const char *format, va_list ap);
int __vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list ap);
int __vsnprintf_chk(char *to, size_t n, int flag, size_t room, const char *format,
		    va_list ap);
int __vasprintf_chk(char **to, int flag, const char *format, va_list ap);
int __vwprintf_chk(int flag, const wchar_t *format, va_list ap);
int __vfwprintf_chk(FILE *f, int flag, const wchar_t *format, va_list ap);
int __vswprintf_chk(wchar_t *to, size_t n, int flag, size_t room, const wchar_t *format,
		    va_list ap);

DH_REAL_WANT(__vprintf_chk);
DH_REAL_WANT(__vfprintf_chk);
DH_REAL_WANT(__vdprintf_chk);
DH_REAL_WANT(__vsprintf_chk);
DH_REAL_WANT(__vsnprintf_chk);
DH_REAL_WANT(__vasprintf_chk);
DH_REAL_WANT(__vwprintf_chk);
DH_REAL_WANT(__vfwprintf_chk);
DH_REAL_WANT(__vswprintf_chk);

/* What a call has put at `to`, which has room for n bytes. */
static void has_printed(const char *to, size_t n, int made, uint64_t pc)
{
	if (made >= 0 && n)
		dh_writes(to, DH_MIN((size_t)made + 1, n), pc);
}

/* Wide characters that do not all fit are an error. */
static void has_printed_wide(const wchar_t *to, int made, uint64_t pc)
{
	if (made >= 0)
		dh_writes(to, ((size_t)made + 1) * sizeof *to, pc);
}

static void has_made(char **to, int made, uint64_t pc)
{
	if (made < 0)
		return;
	dh_writes(to, sizeof *to, pc);
	dh_writes(*to, (size_t)made + 1, pc);
}

/* Each interposed pair: PRINT(name with va_list, name with ..., their parameters, how
 * the format and the real call look, what is done after it). */
#define PRINT(vname, name, parameters, before, call, after)                              \
	DH_EXPORT int vname(DH_JOIN parameters, va_list ap)                              \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		before;                                                                  \
		DH_PRINTF_TOUCHES(format, ap, pc);                                       \
		int made = DH_REAL(vname) call;                                          \
		after;                                                                   \
		return made;                                                             \
	}                                                                                \
	DH_EXPORT int name(DH_JOIN parameters, ...);                                     \
	int name(DH_JOIN parameters, ...)                                                \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		va_list ap;                                                              \
		va_start(ap, format);                                                    \
		before;                                                                  \
		DH_PRINTF_TOUCHES(format, ap, pc);                                       \
		int made = DH_REAL(vname) call;                                          \
		after;                                                                   \
		va_end(ap);                                                              \
		return made;                                                             \
	}
#define DH_JOIN(...) __VA_ARGS__

#define NOTHING	  ((void)0)
#define TO_OUT	  dh_stream_release(stdout)
#define TO_FILE	  dh_stream_release(f)
#define TO_FD	  dh_fd_release(fd)
#define INTO_ALL  has_printed(to, SIZE_MAX, made, pc)
#define INTO_N	  has_printed(to, n, made, pc)
#define INTO_WIDE has_printed_wide(to, made, pc)
#define CALLING	  dh_call_begin(pc)
#define MADE                                                                             \
	dh_call_end();                                                                   \
	has_made(to, made, pc)

PRINT(vprintf, printf, (const char *format), TO_OUT, (format, ap), NOTHING)
PRINT(vfprintf, fprintf, (FILE * f, const char *format), TO_FILE, (f, format, ap),
      NOTHING)
PRINT(vdprintf, dprintf, (int fd, const char *format), TO_FD, (fd, format, ap), NOTHING)
PRINT(vsprintf, sprintf, (char *to, const char *format), NOTHING, (to, format, ap),
      INTO_ALL)
PRINT(vsnprintf, snprintf, (char *to, size_t n, const char *format), NOTHING,
      (to, n, format, ap), INTO_N)
PRINT(vasprintf, asprintf, (char **to, const char *format), CALLING, (to, format, ap),
      MADE)

PRINT(__vprintf_chk, __printf_chk, (int flag, const char *format), TO_OUT,
      (flag, format, ap), NOTHING)
PRINT(__vfprintf_chk, __fprintf_chk, (FILE * f, int flag, const char *format), TO_FILE,
      (f, flag, format, ap), NOTHING)
PRINT(__vdprintf_chk, __dprintf_chk, (int fd, int flag, const char *format), TO_FD,
      (fd, flag, format, ap), NOTHING)
PRINT(__vsprintf_chk, __sprintf_chk,
      (char *to, int flag, size_t room, const char *format), NOTHING,
      (to, flag, room, format, ap), INTO_ALL)
PRINT(__vsnprintf_chk, __snprintf_chk,
      (char *to, size_t n, int flag, size_t room, const char *format), NOTHING,
      (to, n, flag, room, format, ap), INTO_N)
PRINT(__vasprintf_chk, __asprintf_chk, (char **to, int flag, const char *format), CALLING,
      (to, flag, format, ap), MADE)

PRINT(vwprintf, wprintf, (const wchar_t *format), TO_OUT, (format, ap), NOTHING)
PRINT(vfwprintf, fwprintf, (FILE * f, const wchar_t *format), TO_FILE, (f, format, ap),
      NOTHING)
PRINT(vswprintf, swprintf, (wchar_t * to, size_t n, const wchar_t *format), NOTHING,
      (to, n, format, ap), INTO_WIDE)

PRINT(__vwprintf_chk, __wprintf_chk, (int flag, const wchar_t *format), TO_OUT,
      (flag, format, ap), NOTHING)
PRINT(__vfwprintf_chk, __fwprintf_chk, (FILE * f, int flag, const wchar_t *format),
      TO_FILE, (f, flag, format, ap), NOTHING)
PRINT(__vswprintf_chk, __swprintf_chk,
      (wchar_t * to, size_t n, int flag, size_t room, const wchar_t *format), NOTHING,
      (to, n, flag, room, format, ap), INTO_WIDE)

/* ---- the system's log ---- */

DH_REAL_WANT(vsyslog);
DH_EXPORT void vsyslog(int level, const char *format, va_list ap)
{
	dh_printf_touches(format, ap, DH_CALLER());
	DH_REAL(vsyslog)(level, format, ap);
}

DH_EXPORT void syslog(int level, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	dh_printf_touches(format, ap, DH_CALLER());
	DH_REAL(vsyslog)(level, format, ap);
	va_end(ap);
}
