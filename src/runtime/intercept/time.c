/* SPDX-License-Identifier: MIT */
/* Times and dates. The functions that return memory of their own (localtime, ctime, ...)
 * write it anew at each call: two threads that call them do race. */
#define _GNU_SOURCE
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"

/* ---- reading clocks ---- */

DH_REAL_WANT(time);
DH_EXPORT time_t time(time_t *to)
{
	time_t now = DH_REAL(time)(NULL);
	if (to)
		*to = now;
	DH_WRITES_OBJECT(to, DH_CALLER());
	return now;
}

DH_REAL_WANT(clock_gettime);
DH_EXPORT int clock_gettime(clockid_t clock, struct timespec *to)
{
	uint64_t pc = DH_CALLER();
	int r = DH_REAL(clock_gettime)(clock, to);
	if (r == 0)
		DH_WRITES_OBJECT(to, pc);
	return r;
}

DH_REAL_WANT(clock_getres);
DH_EXPORT int clock_getres(clockid_t clock, struct timespec *to)
{
	uint64_t pc = DH_CALLER();
	int r = DH_REAL(clock_getres)(clock, to);
	if (r == 0)
		DH_WRITES_OBJECT(to, pc);
	return r;
}

DH_REAL_WANT(timespec_get);
DH_EXPORT int timespec_get(struct timespec *to, int base)
{
	uint64_t pc = DH_CALLER();
	int r = DH_REAL(timespec_get)(to, base);
	if (r)
		DH_WRITES_OBJECT(to, pc);
	return r;
}

DH_EXPORT int timespec_getres(struct timespec *to, int base);
DH_REAL_WANT(timespec_getres);
int timespec_getres(struct timespec *to, int base)
{
	uint64_t pc = DH_CALLER();
	int r = DH_REAL_HAS(timespec_getres) ? DH_REAL(timespec_getres)(to, base) : 0;
	if (r)
		DH_WRITES_OBJECT(to, pc);
	return r;
}

DH_REAL_WANT(gettimeofday);
DH_EXPORT int gettimeofday(struct timeval *to, void *zone)
{
	int r = DH_REAL(gettimeofday)(to, zone);
	if (r == 0)
		DH_WRITES_OBJECT(to, DH_CALLER());
	return r;
}

DH_REAL_WANT(times);
DH_EXPORT clock_t times(struct tms *to)
{
	uint64_t pc = DH_CALLER();
	clock_t r = DH_REAL(times)(to);
	DH_WRITES_OBJECT(to, pc);
	return r;
}

DH_REAL_WANT(getrusage);
DH_EXPORT int getrusage(__rusage_who_t who, struct rusage *to)
{
	uint64_t pc = DH_CALLER();
	int r = DH_REAL(getrusage)(who, to);
	if (r == 0)
		DH_WRITES_OBJECT(to, pc);
	return r;
}

/* ---- sleeping ---- */

DH_REAL_WANT(nanosleep);
DH_EXPORT int nanosleep(const struct timespec *span, struct timespec *left)
{
	uint64_t pc = DH_CALLER();
	DH_READS_OBJECT(span, pc);
	int r = DH_REAL(nanosleep)(span, left);
	if (r < 0)
		DH_WRITES_OBJECT(left, pc);
	return r;
}

DH_REAL_WANT(clock_nanosleep);
DH_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *span,
			      struct timespec *left)
{
	uint64_t pc = DH_CALLER();
	DH_READS_OBJECT(span, pc);
	int r = DH_REAL(clock_nanosleep)(clock, flags, span, left);
	if (r && !(flags & TIMER_ABSTIME))
		DH_WRITES_OBJECT(left, pc);
	return r;
}

/* ---- dates ---- */

#define BREAK_DOWN(name)                                                                 \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT struct tm *name(const time_t *from)                                    \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		DH_READS_OBJECT(from, pc);                                               \
		struct tm *made = DH_REAL(name)(from);                                   \
		DH_WRITES_OBJECT(made, pc);                                              \
		return made;                                                             \
	}                                                                                \
	DH_REAL_WANT(name##_r);                                                          \
	DH_EXPORT struct tm *name##_r(const time_t *from, struct tm *to)                 \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		DH_READS_OBJECT(from, pc);                                               \
		struct tm *made = DH_REAL(name##_r)(from, to);                           \
		DH_WRITES_OBJECT(made, pc);                                              \
		return made;                                                             \
	}
BREAK_DOWN(gmtime)
BREAK_DOWN(localtime)

/* These also put the fields in order. */
#define BUILD_UP(name)                                                                   \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT time_t name(struct tm *from)                                           \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		time_t made = DH_REAL(name)(from);                                       \
		DH_WRITES_OBJECT(from, pc);                                              \
		return made;                                                             \
	}
BUILD_UP(mktime)
BUILD_UP(timelocal)
BUILD_UP(timegm)

#define IN_WORDS(name, type)                                                             \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT char *name(const type *from)                                           \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		DH_READS_OBJECT(from, pc);                                               \
		char *made = DH_REAL(name)(from);                                        \
		dh_writes_text(made, pc);                                                \
		return made;                                                             \
	}                                                                                \
	DH_REAL_WANT(name##_r);                                                          \
	DH_EXPORT char *name##_r(const type *from, char *to)                             \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		DH_READS_OBJECT(from, pc);                                               \
		char *made = DH_REAL(name##_r)(from, to);                                \
		dh_writes_text(made, pc);                                                \
		return made;                                                             \
	}
IN_WORDS(asctime, struct tm)
IN_WORDS(ctime, time_t)

DH_REAL_WANT(strftime);
DH_EXPORT size_t strftime(char *to, size_t room, const char *format,
			  const struct tm *from)
{
	uint64_t pc = DH_CALLER();
	dh_reads_text(format, pc);
	DH_READS_OBJECT(from, pc);
	size_t n = DH_REAL(strftime)(to, room, format, from);
	if (n)
		dh_writes(to, n + 1, pc);
	return n;
}

DH_REAL_WANT(strftime_l);
DH_EXPORT size_t strftime_l(char *to, size_t room, const char *format,
			    const struct tm *from, locale_t locale)
{
	uint64_t pc = DH_CALLER();
	dh_reads_text(format, pc);
	DH_READS_OBJECT(from, pc);
	size_t n = DH_REAL(strftime_l)(to, room, format, from, locale);
	if (n)
		dh_writes(to, n + 1, pc);
	return n;
}

DH_REAL_WANT(strptime);
DH_EXPORT char *strptime(const char *from, const char *format, struct tm *to)
{
	uint64_t pc = DH_CALLER();
	dh_reads_text(format, pc);
	char *end = DH_REAL(strptime)(from, format, to);
	if (end) {
		dh_reads(from, (size_t)(end - from), pc);
		DH_WRITES_OBJECT(to, pc);
	}
	return end;
}
