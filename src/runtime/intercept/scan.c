/* SPDX-License-Identifier: MIT */
/*
 * The scanf family, under the names that the header gives it in each revision of the C
 * standard. The assigned variables count as written after the real call. The text that
 * sscanf is given counts as read to its end, because the C library measures it first.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include "runtime/intercept/format.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/stream.h"

/* vscanf, vfscanf and vsscanf under other names: the real ones are asked for by them. */
#define DECLARE(prefix)                                                                  \
	int prefix##vscanf(const char *format, va_list ap);                              \
	int prefix##vfscanf(FILE *f, const char *format, va_list ap);                    \
	int prefix##vsscanf(const char *from, const char *format, va_list ap);           \
	int prefix##scanf(const char *format, ...);                                      \
	int prefix##fscanf(FILE *f, const char *format, ...);                            \
	int prefix##sscanf(const char *from, const char *format, ...);

#define SCAN(vname, name, parameters, before, call)                                      \
	DH_REAL_WANT(vname);                                                             \
	DH_EXPORT int vname(DH_JOIN parameters, va_list ap)                              \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		va_list args;                                                            \
		va_copy(args, ap);                                                       \
		dh_call_begin(pc);                                                       \
		int done = DH_REAL(vname) call;                                          \
		dh_call_end();                                                           \
		before;                                                                  \
		dh_scanf_touches(format, args, done, pc);                                \
		va_end(args);                                                            \
		return done;                                                             \
	}                                                                                \
	DH_EXPORT int name(DH_JOIN parameters, ...)                                      \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		va_list ap, args;                                                        \
		va_start(ap, format);                                                    \
		va_copy(args, ap);                                                       \
		dh_call_begin(pc);                                                       \
		int done = DH_REAL(vname) call;                                          \
		dh_call_end();                                                           \
		before;                                                                  \
		dh_scanf_touches(format, args, done, pc);                                \
		va_end(args);                                                            \
		va_end(ap);                                                              \
		return done;                                                             \
	}
#define DH_JOIN(...) __VA_ARGS__

#define SCAN_ALL(prefix)                                                                 \
	DECLARE(prefix)                                                                  \
	SCAN(prefix##vscanf, prefix##scanf, (const char *format),                        \
	     dh_stream_acquire(stdin), (format, ap))                                     \
	SCAN(prefix##vfscanf, prefix##fscanf, (FILE * f, const char *format),            \
	     dh_stream_acquire(f), (f, format, ap))                                      \
	SCAN(prefix##vsscanf, prefix##sscanf, (const char *from, const char *format),    \
	     dh_reads_text(from, pc), (from, format, ap))

SCAN_ALL(__isoc99_)
SCAN_ALL(__isoc23_)
