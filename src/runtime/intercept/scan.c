/* SPDX-License-Identifier: MIT */
/*
 * The scanf family, of both kinds of characters, under the names that the header gives it
 * in each revision of the C standard: those of old are what C90 and C++98 get with GNU
 * extensions. The assigned variables count as written after the real call. The text that
 * sscanf is given counts as read to its end, because the C library measures it first.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <wchar.h>
#include "runtime/intercept/format.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/stream.h"

/* With a va_list under other names: the real ones are asked for by them. */
#define DECLARE(prefix)                                                                  \
	int prefix##vscanf(const char *format, va_list ap);                              \
	int prefix##vfscanf(FILE *f, const char *format, va_list ap);                    \
	int prefix##vsscanf(const char *from, const char *format, va_list ap);           \
	int prefix##vwscanf(const wchar_t *format, va_list ap);                          \
	int prefix##vfwscanf(FILE *f, const wchar_t *format, va_list ap);                \
	int prefix##vswscanf(const wchar_t *from, const wchar_t *format, va_list ap);

/* The header makes newer names of the old ones, so ours have others here. */
#define SCAN(a, vname, name, parameters, before, call)                                   \
	DH_REAL_WANT(vname);                                                             \
	DH_EXPORT int our_##vname(DH_JOIN parameters, va_list ap) __asm__(#vname);       \
	DH_EXPORT int our_##name(DH_JOIN parameters, ...) __asm__(#name);                \
	int our_##vname(DH_JOIN parameters, va_list ap)                                  \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		va_list args;                                                            \
		va_copy(args, ap);                                                       \
		dh_call_begin(pc);                                                       \
		int done = DH_REAL(vname) call;                                          \
		dh_call_end();                                                           \
		before;                                                                  \
		DH_SCANF_TOUCHES(format, args, done, a, pc);                             \
		va_end(args);                                                            \
		return done;                                                             \
	}                                                                                \
	int our_##name(DH_JOIN parameters, ...)                                          \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		va_list ap, args;                                                        \
		va_start(ap, format);                                                    \
		va_copy(args, ap);                                                       \
		dh_call_begin(pc);                                                       \
		int done = DH_REAL(vname) call;                                          \
		dh_call_end();                                                           \
		before;                                                                  \
		DH_SCANF_TOUCHES(format, args, done, a, pc);                             \
		va_end(args);                                                            \
		va_end(ap);                                                              \
		return done;                                                             \
	}
#define DH_JOIN(...) __VA_ARGS__

#define SCAN_ALL(a, prefix)                                                              \
	SCAN(a, prefix##vscanf, prefix##scanf, (const char *format),                     \
	     dh_stream_acquire(stdin, pc), (format, ap))                                 \
	SCAN(a, prefix##vfscanf, prefix##fscanf, (FILE * f, const char *format),         \
	     dh_stream_acquire(f, pc), (f, format, ap))                                  \
	SCAN(a, prefix##vsscanf, prefix##sscanf, (const char *from, const char *format), \
	     dh_reads_text(from, pc), (from, format, ap))                                \
	SCAN(a, prefix##vwscanf, prefix##wscanf, (const wchar_t *format),                \
	     dh_stream_acquire(stdin, pc), (format, ap))                                 \
	SCAN(a, prefix##vfwscanf, prefix##fwscanf, (FILE * f, const wchar_t *format),    \
	     dh_stream_acquire(f, pc), (f, format, ap))                                  \
	SCAN(a, prefix##vswscanf, prefix##swscanf,                                       \
	     (const wchar_t *from, const wchar_t *format), dh_reads_wide_text(from, pc), \
	     (from, format, ap))

DECLARE(__isoc99_)
DECLARE(__isoc23_)
SCAN_ALL(DH_A_NUMBER, __isoc99_)
SCAN_ALL(DH_A_NUMBER, __isoc23_)
SCAN_ALL(DH_A_ALLOCATES, )
