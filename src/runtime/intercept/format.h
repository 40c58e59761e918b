/* SPDX-License-Identifier: MIT */
/*
 * What printf and scanf do with the caller's memory, from the format and the arguments.
 * Of a call with numbered arguments (%1$s) only the format is told, of a wide format of a
 * thousand characters and more what its first thousand say. Any thread; allocates
 * nothing.
 */
#ifndef DH_RUNTIME_INTERCEPT_FORMAT_H
#define DH_RUNTIME_INTERCEPT_FORMAT_H

#include <stdarg.h>
#include <wchar.h>
#include "base/base.h"

/* Before the real call: the format, the texts of %s, and the targets of %n (as writes).
 * ap is as it was given; the caller's own copy stays untouched. */
void dh_printf_touches(const char *format, va_list ap, uint64_t pc);
void dh_wprintf_touches(const wchar_t *format, va_list ap, uint64_t pc);

/* %as, %aS and %a[...] are numbers and what follows, or texts that are allocated, as
 * those of %ms are: so it was before C99. */
enum dh_a { DH_A_NUMBER, DH_A_ALLOCATES };

/* After the real call, which has returned `done` (assignments made). ap as it was before
 * the call. */
void dh_scanf_touches(const char *format, va_list ap, int done, enum dh_a a, uint64_t pc);
void dh_wscanf_touches(const wchar_t *format, va_list ap, int done, enum dh_a a,
		       uint64_t pc);

/* By the characters of the format. */
#define DH_PRINTF_TOUCHES(format, ...)                                                   \
	_Generic((format), const char *                                                  \
		 : dh_printf_touches, const wchar_t *                                    \
		 : dh_wprintf_touches)(format, __VA_ARGS__)
#define DH_SCANF_TOUCHES(format, ...)                                                    \
	_Generic((format), const char *                                                  \
		 : dh_scanf_touches, const wchar_t *                                     \
		 : dh_wscanf_touches)(format, __VA_ARGS__)

#endif
