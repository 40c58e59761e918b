/* SPDX-License-Identifier: MIT */
/*
 * Functions that the program wants called at its end, or before a library of it is
 * unloaded: the destructors of static objects in C++ among them. Their registration
 * comes before their run, on whichever threads the two are. That the end is seen by us
 * too is init.c's and report.c's business.
 *
 * The C library keeps and calls them, in its order; each has a record here in place of
 * its argument. Its atexit() is no part of the shared library but of each module, and
 * calls __cxa_atexit() with the module's handle. A program that was linked against the
 * sanitizer's library asks for an atexit() there, so we have one too: under an old
 * version, which the linker does not take for new programs (symbols.map).
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include "base/mem.h"
#include "runtime/abi.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/watch.h"
#include "runtime/observer.h"
#include "runtime/sync.h"

DH_EXPORT int __cxa_atexit(void (*function)(void *), void *arg, void *module);
DH_EXPORT int dh_old_atexit(void (*function)(void));
__asm__(".symver dh_old_atexit, atexit@DEADHEAT_OLD, remove");

DH_REAL_WANT(__cxa_atexit);
DH_REAL_WANT(on_exit);

union function {
	void (*of_arg)(void *);
	void (*of_nothing)(void);
	void (*of_status)(int, void *);
};

struct last {
	union function f;
	void *arg;
};

static struct last *note(union function f, void *arg)
{
	struct dh_self *t = dh_thread_self(), *watched = dh_watched();
	dh_enter_runtime(t);
	struct last *l = dh_mem_alloc(sizeof *l);
	*l = (struct last){f, arg};
	if (watched)
		dh_sync_release(t, (uintptr_t)l);
	dh_leave_runtime(t);
	return l;
}

static void drop(struct last *l)
{
	struct dh_self *t = dh_thread_self();
	dh_sync_forget((uintptr_t)l);
	dh_enter_runtime(t);
	dh_mem_free(l, sizeof *l);
	dh_leave_runtime(t);
}

static struct last begin(void *record)
{
	struct dh_self *t = dh_watched();
	struct last l = *(struct last *)record;
	if (t) {
		dh_sync_acquire(t, (uintptr_t)record);
		dh_saw(t, DH_SEEN_LAST, 0, 0);
	}
	drop(record);
	return l;
}

static void run_arg(void *record)
{
	struct last l = begin(record);
	l.f.of_arg(l.arg);
}

static void run_nothing(void *record)
{
	begin(record).f.of_nothing();
}

static void run_status(int status, void *record)
{
	struct last l = begin(record);
	l.f.of_status(status, l.arg);
}

static int noted(struct last *l, int result)
{
	if (result != 0)
		drop(l);
	return result;
}

int __cxa_atexit(void (*function)(void *), void *arg, void *module)
{
	struct last *l = note((union function){.of_arg = function}, arg);
	return noted(l, DH_REAL(__cxa_atexit)(run_arg, l, module));
}

DH_EXPORT int on_exit(void (*function)(int, void *), void *arg)
{
	struct last *l = note((union function){.of_status = function}, arg);
	return noted(l, DH_REAL(on_exit)(run_status, l));
}

/* Of a program only: a library's handle is not to be had here. */
int dh_old_atexit(void (*function)(void))
{
	struct last *l = note((union function){.of_nothing = function}, NULL);
	return noted(l, DH_REAL(__cxa_atexit)(run_nothing, l, NULL));
}
