/* SPDX-License-Identifier: MIT */
/*
 * Messages to standard error in the words of the C library: what went wrong, and what
 * errno or a signal says. Who reads them at the other end of a pipe comes after.
 * Libraries may have functions of their own by most of these names (bound.h).
 */
#define _GNU_SOURCE
#include <err.h>
#include <error.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "runtime/intercept/bound.h"
#include "runtime/intercept/format.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/stream.h"

static void will_say(const char *text, uint64_t pc)
{
	dh_reads_text(text, pc);
	dh_stream_release(stderr);
}

static void will_print(const char *format, va_list ap, uint64_t pc)
{
	if (format)
		dh_printf_touches(format, ap, pc);
	dh_stream_release(stderr);
}

/* ---- a text ---- */

DH_REAL_WANT(perror);
DH_EXPORT void perror(const char *s)
{
	will_say(s, DH_CALLER());
	DH_REAL(perror)(s);
}

DH_REAL_WANT(psignal);
DH_EXPORT void psignal(int number, const char *s)
{
	will_say(s, DH_CALLER());
	DH_REAL(psignal)(number, s);
}

DH_REAL_WANT(psiginfo);
DH_EXPORT void psiginfo(const siginfo_t *info, const char *s)
{
	uint64_t pc = DH_CALLER();
	DH_READS_OBJECT(info, pc);
	will_say(s, pc);
	DH_REAL(psiginfo)(info, s);
}

/* ---- a format ---- */

#define WARN(vname, name)                                                                \
	DH_REAL_WANT(vname);                                                             \
	DH_EXPORT void dh_##vname(const char *format, va_list ap);                       \
	DH_EXPORT void dh_##name(const char *format, ...);                               \
	DH_BOUND(dh_##vname, vname);                                                     \
	DH_BOUND(dh_##name, name);                                                       \
	void dh_##vname(const char *format, va_list ap)                                  \
	{                                                                                \
		will_print(format, ap, DH_CALLER());                                     \
		DH_REAL(vname)(format, ap);                                              \
	}                                                                                \
	void dh_##name(const char *format, ...)                                          \
	{                                                                                \
		va_list ap;                                                              \
		va_start(ap, format);                                                    \
		will_print(format, ap, DH_CALLER());                                     \
		DH_REAL(vname)(format, ap);                                              \
		va_end(ap);                                                              \
	}
WARN(vwarn, warn)
WARN(vwarnx, warnx)

/* What the program wants called at its end is called from there. */
#define END(vname, name)                                                                 \
	DH_REAL_WANT(vname);                                                             \
	DH_EXPORT void dh_##vname(int status, const char *format, va_list ap);           \
	DH_EXPORT void dh_##name(int status, const char *format, ...);                   \
	DH_BOUND(dh_##vname, vname);                                                     \
	DH_BOUND(dh_##name, name);                                                       \
	void dh_##vname(int status, const char *format, va_list ap)                      \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		will_print(format, ap, pc);                                              \
		dh_call_begin(pc);                                                       \
		DH_REAL(vname)(status, format, ap);                                      \
	}                                                                                \
	void dh_##name(int status, const char *format, ...)                              \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		va_list ap;                                                              \
		va_start(ap, format);                                                    \
		will_print(format, ap, pc);                                              \
		dh_call_begin(pc);                                                       \
		DH_REAL(vname)(status, format, ap);                                      \
	}
END(verr, err)
END(verrx, errx)

/* ---- a format, without a form for a va_list ---- */

DH_REAL_WANT(error);
DH_REAL_WANT(error_at_line);
DH_REAL_WANT(vsnprintf);

/* They are given the text that the format makes. It is on the stack where it is short,
 * else in memory of the C library. */
struct message {
	char *text;
	char here[512];
};

DH_REAL_WANT(vasprintf);
static void make(struct message *m, const char *format, va_list ap)
{
	va_list again;
	va_copy(again, ap);
	int n = DH_REAL(vsnprintf)(m->here, sizeof m->here, format, ap);
	m->text = m->here;
	if (n < 0)
		m->here[0] = 0;
	else if ((size_t)n >= sizeof m->here &&
		 DH_REAL(vasprintf)(&m->text, format, again) < 0)
		m->text = m->here;
	va_end(again);
}

static void drop(const struct message *m)
{
	if (m->text != m->here)
		free(m->text);
}

/* The program may have a function that says its name (error_print_progname). */
#define ERROR(name, parameters, call)                                                    \
	DH_EXPORT void dh_##name(DH_JOIN parameters, const char *format, ...);           \
	DH_BOUND(dh_##name, name);                                                       \
	void dh_##name(DH_JOIN parameters, const char *format, ...)                      \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		struct message m;                                                        \
		va_list ap;                                                              \
		va_start(ap, format);                                                    \
		will_print(format, ap, pc);                                              \
		dh_stream_release(stdout);                                               \
		dh_call_begin(pc);                                                       \
		make(&m, format, ap);                                                    \
		va_end(ap);                                                              \
		DH_REAL(name) call;                                                      \
		drop(&m);                                                                \
		dh_call_end();                                                           \
	}
#define DH_JOIN(...) __VA_ARGS__
ERROR(error, (int status, int number), (status, number, "%s", m.text))
ERROR(error_at_line, (int status, int number, const char *file, unsigned line),
      (status, number, file, line, "%s", m.text))
