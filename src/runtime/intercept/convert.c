/* SPDX-License-Identifier: MIT */
/*
 * Numbers in text: read up to the first character that is no part of the number. The
 * names with isoc23 are those of newer headers.
 */
#define _GNU_SOURCE
#ifndef __NO_INLINE__
#define __NO_INLINE__ /* the headers shall define none of the functions */
#endif
#include <inttypes.h>
#include <stdlib.h>
#include <wchar.h>
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"

static void has_read(const char *s, const char *end, char **told, uint64_t pc)
{
	dh_reads(s, (size_t)(end - s) + 1, pc);
	DH_WRITES_OBJECT(told, pc);
}

#define INTEGER(name, type)                                                              \
	DH_EXPORT type name(const char *s, char **told, int base);                       \
	DH_REAL_WANT(name);                                                              \
	type name(const char *s, char **told, int base)                                  \
	{                                                                                \
		char *end = (char *)s;                                                   \
		type value = DH_REAL(name)(s, &end, base);                               \
		if (told)                                                                \
			*told = end;                                                     \
		has_read(s, end, told, DH_CALLER());                                     \
		return value;                                                            \
	}
INTEGER(strtol, long)
INTEGER(strtoul, unsigned long)
INTEGER(strtoll, long long)
INTEGER(strtoull, unsigned long long)
INTEGER(strtoimax, intmax_t)
INTEGER(strtoumax, uintmax_t)
INTEGER(__isoc23_strtol, long)
INTEGER(__isoc23_strtoul, unsigned long)
INTEGER(__isoc23_strtoll, long long)
INTEGER(__isoc23_strtoull, unsigned long long)
INTEGER(__isoc23_strtoimax, intmax_t)
INTEGER(__isoc23_strtoumax, uintmax_t)

#define INTEGER_BY(name, type)                                                           \
	DH_EXPORT type name(const char *s, char **told, int base, locale_t locale);      \
	DH_REAL_WANT(name);                                                              \
	type name(const char *s, char **told, int base, locale_t locale)                 \
	{                                                                                \
		char *end = (char *)s;                                                   \
		type value = DH_REAL(name)(s, &end, base, locale);                       \
		if (told)                                                                \
			*told = end;                                                     \
		has_read(s, end, told, DH_CALLER());                                     \
		return value;                                                            \
	}
INTEGER_BY(strtol_l, long)
INTEGER_BY(strtoul_l, unsigned long)
INTEGER_BY(strtoll_l, long long)
INTEGER_BY(strtoull_l, unsigned long long)
INTEGER_BY(__isoc23_strtol_l, long)
INTEGER_BY(__isoc23_strtoul_l, unsigned long)
INTEGER_BY(__isoc23_strtoll_l, long long)
INTEGER_BY(__isoc23_strtoull_l, unsigned long long)

static void has_read_wide(const wchar_t *s, const wchar_t *end, wchar_t **told,
			  uint64_t pc)
{
	dh_reads(s, (size_t)(end - s + 1) * sizeof *s, pc);
	DH_WRITES_OBJECT(told, pc);
}

#define WIDE_INTEGER(name, type)                                                         \
	DH_EXPORT type name(const wchar_t *s, wchar_t **told, int base);                 \
	DH_REAL_WANT(name);                                                              \
	type name(const wchar_t *s, wchar_t **told, int base)                            \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		wchar_t *end = (wchar_t *)s;                                             \
		type value = DH_REAL(name)(s, &end, base);                               \
		if (told)                                                                \
			*told = end;                                                     \
		has_read_wide(s, end, told, pc);                                         \
		return value;                                                            \
	}
WIDE_INTEGER(wcstol, long)
WIDE_INTEGER(wcstoul, unsigned long)
WIDE_INTEGER(wcstoll, long long)
WIDE_INTEGER(wcstoull, unsigned long long)

#define FLOATING(name, type)                                                             \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT type name(const char *s, char **told)                                  \
	{                                                                                \
		char *end = (char *)s;                                                   \
		type value = DH_REAL(name)(s, &end);                                     \
		if (told)                                                                \
			*told = end;                                                     \
		has_read(s, end, told, DH_CALLER());                                     \
		return value;                                                            \
	}
FLOATING(strtof, float)
FLOATING(strtod, double)
FLOATING(strtold, long double)

#define FLOATING_BY(name, type)                                                          \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT type name(const char *s, char **told, locale_t locale)                 \
	{                                                                                \
		char *end = (char *)s;                                                   \
		type value = DH_REAL(name)(s, &end, locale);                             \
		if (told)                                                                \
			*told = end;                                                     \
		has_read(s, end, told, DH_CALLER());                                     \
		return value;                                                            \
	}
FLOATING_BY(strtof_l, float)
FLOATING_BY(strtod_l, double)
FLOATING_BY(strtold_l, long double)

#define WIDE_FLOATING(name, type)                                                        \
	DH_EXPORT type name(const wchar_t *s, wchar_t **told);                           \
	DH_REAL_WANT(name);                                                              \
	type name(const wchar_t *s, wchar_t **told)                                      \
	{                                                                                \
		wchar_t *end = (wchar_t *)s;                                             \
		type value = DH_REAL(name)(s, &end);                                     \
		if (told)                                                                \
			*told = end;                                                     \
		has_read_wide(s, end, told, DH_CALLER());                                \
		return value;                                                            \
	}
WIDE_FLOATING(wcstof, float)
WIDE_FLOATING(wcstod, double)
WIDE_FLOATING(wcstold, long double)

#define SIMPLE(name, type, wide)                                                         \
	DH_EXPORT type name(const char *s)                                               \
	{                                                                                \
		char *end = (char *)s;                                                   \
		type value = (type)DH_REAL(wide)(s, &end, 10);                           \
		has_read(s, end, NULL, DH_CALLER());                                     \
		return value;                                                            \
	}
SIMPLE(atoi, int, strtol)
SIMPLE(atol, long, strtol)
SIMPLE(atoll, long long, strtoll)

/* Digits to the base of 64, of which it takes six. */
DH_REAL_WANT(a64l);
DH_EXPORT long a64l(const char *s)
{
	enum { DIGITS = 6 };
	size_t n = 0;
	while (n < DIGITS && s[n])
		n++;
	dh_reads(s, DH_MIN(n + 1, (size_t)DIGITS), DH_CALLER());
	return DH_REAL(a64l)(s);
}

/* And to text. */
#define PRINT(name, type)                                                                \
	DH_EXPORT int name(char *to, size_t room, const char *format, type value);       \
	DH_REAL_WANT(name);                                                              \
	int name(char *to, size_t room, const char *format, type value)                  \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		dh_reads_text(format, pc);                                               \
		int n = DH_REAL(name)(to, room, format, value);                          \
		if (n >= 0 && room)                                                      \
			dh_writes(to, DH_MIN((size_t)n + 1, room), pc);                  \
		return n;                                                                \
	}
PRINT(strfromf, float)
PRINT(strfromd, double)
PRINT(strfroml, long double)

#define DIGITS_OF(name, type)                                                            \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(type value, int digits, int *point, int *minus, char *to,     \
			   size_t room)                                                  \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		int r = DH_REAL(name)(value, digits, point, minus, to, room);            \
		if (r == 0) {                                                            \
			dh_writes_text(to, pc);                                          \
			DH_WRITES_OBJECT(point, pc);                                     \
			DH_WRITES_OBJECT(minus, pc);                                     \
		}                                                                        \
		return r;                                                                \
	}
DIGITS_OF(ecvt_r, double)
DIGITS_OF(fcvt_r, double)
DIGITS_OF(qecvt_r, long double)
DIGITS_OF(qfcvt_r, long double)

DH_EXPORT double atof(const char *s)
{
	char *end = (char *)s;
	double value = DH_REAL(strtod)(s, &end);
	has_read(s, end, NULL, DH_CALLER());
	return value;
}
