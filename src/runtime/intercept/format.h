/* SPDX-License-Identifier: MIT */
/*
 * What printf and scanf do with the caller's memory, from the format and the arguments.
 * Of a call with numbered arguments (%1$s) only the format is told. Any thread; allocates
 * nothing.
 */
#ifndef DH_RUNTIME_INTERCEPT_FORMAT_H
#define DH_RUNTIME_INTERCEPT_FORMAT_H

#include <stdarg.h>
#include "base/base.h"

/* Before the real call: the format, the texts of %s, and the targets of %n (as writes).
 * ap is as it was given; the caller's own copy stays untouched. */
void dh_printf_touches(const char *format, va_list ap, uint64_t pc);

/* After the real call, which has returned `done` (assignments made). ap as it was before
 * the call. */
void dh_scanf_touches(const char *format, va_list ap, int done, uint64_t pc);

#endif
