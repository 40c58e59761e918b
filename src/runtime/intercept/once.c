/* SPDX-License-Identifier: MIT */
/*
 * pthread_once() and call_once(), and what clang's C++ library has under std::call_once
 * (gcc's calls pthread_once): all callers come after the initialiser. Where that
 * is left by an exception or by cancellation the next caller tries again, and comes
 * after what the first attempt did.
 *
 * The C library's function runs the initialiser, on the thread that called it and
 * without an argument; so which one is to run is kept in thread-local storage. An
 * initialiser may itself wait for other initialisers.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <threads.h>
#include "runtime/abi.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"
#include "runtime/intercept/watch.h"
#include "runtime/sync.h"

DH_REAL_WANT(pthread_once);
DH_REAL_WANT(call_once);

struct once {
	struct once *outer;
	uintptr_t control;
	void (*routine)(void);
};

static __thread struct once *present __attribute__((tls_model("initial-exec")));

static void ended(struct once *o)
{
	struct dh_self *t = dh_watched();
	if (t)
		dh_sync_release(t, o->control);
}

DH_UNWIND_ROUTINE(dh_once_unwound);
DH_UNWIND_ROUTINE(dh_once_unwound)
{
	(void)version, (void)kind, (void)exception, (void)context;
	if ((actions & DH_UNWIND_CLEANUP) && present) {
		ended(present);
		present = present->outer;
		dh_call_end();
	}
	return DH_UNWIND_GO_ON;
}

static DH_UNWOUND void run(void)
{
	DH_ON_UNWIND(dh_once_unwound);
	struct once *mine = present;
	struct dh_self *t = dh_watched();
	if (t)
		dh_sync_acquire(t, mine->control);
	mine->routine();
	present = mine;
	ended(mine);
}

static void passed(const struct once *o)
{
	struct dh_self *t = dh_watched();
	present = o->outer;
	if (t)
		dh_sync_acquire(t, o->control);
}

DH_EXPORT int pthread_once(pthread_once_t *control, void (*routine)(void))
{
	struct once mine = {present, (uintptr_t)control, routine};
	present = &mine;
	dh_call_begin(DH_CALLER());
	int result = DH_REAL(pthread_once)(control, run);
	dh_call_end();
	passed(&mine);
	return result;
}

DH_EXPORT void call_once(once_flag *flag, void (*routine)(void))
{
	struct once mine = {present, (uintptr_t)flag, routine};
	present = &mine;
	dh_call_begin(DH_CALLER());
	DH_REAL(call_once)(flag, run);
	dh_call_end();
	passed(&mine);
}

DH_OLD_NAME(__pthread_once, pthread_once);

/* ---- libc++ ----
 *
 * The headers look at the flag with an acquiring load, which is seen; the store that it
 * goes with is in the library, and is not. */

#define CXX_CALL_ONCE _ZNSt3__111__call_onceERVmPvPFvS2_E
DH_EXPORT void CXX_CALL_ONCE(volatile unsigned long *flag, void *argument,
			     void (*routine)(void *));
DH_REAL_WANT(_ZNSt3__111__call_onceERVmPvPFvS2_E);

struct cxx_once {
	uintptr_t flag;
	void *argument;
	void (*routine)(void *);
};

static void run_cxx(void *once)
{
	struct cxx_once *mine = once;
	mine->routine(mine->argument);
	struct dh_self *t = dh_watched();
	if (t)
		dh_sync_release(t, mine->flag);
}

void CXX_CALL_ONCE(volatile unsigned long *flag, void *argument, void (*routine)(void *))
{
	struct cxx_once mine = {(uintptr_t)flag, argument, routine};
	dh_call_begin(DH_CALLER());
	DH_REAL(_ZNSt3__111__call_onceERVmPvPFvS2_E)(flag, &mine, run_cxx);
	dh_call_end();
	struct dh_self *t = dh_watched();
	if (t)
		dh_sync_acquire(t, mine.flag);
}
