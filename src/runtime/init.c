/* SPDX-License-Identifier: MIT */
/*
 * Start-up and the end of the run.
 *
 * Start: by this library's constructor, or earlier by the constructor of an
 * instrumented module, or by the first interposed function that needs a watched
 * thread. That is before main() and on the main thread. Real functions come first,
 * because everything may need them; then options, then threads; then what reports.
 *
 * End: a handler that was registered before the program's own and before the one that
 * runs the destructors of all modules, and so runs after them. It is bound to no
 * module, so that unloading one does not run it. An exit status of our own is given by
 * calling exit() again from it, which the C library takes for the new status: files
 * are still flushed in its own way, which waits for no thread. quick_exit() and _exit()
 * are watched as well. A process that shares our memory but is another one (vfork) is
 * none of ours to end.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#include "runtime/abi.h"
#include "runtime/flags.h"
#include "runtime/intercept/lifetime.h"
#include "runtime/intercept/real.h"
#include "runtime/report.h"
#include "runtime/thread.h"

DH_REAL_WANT(_exit);

DH_EXPORT void __tsan_init(void);

enum { ASLEEP, WAKING, AWAKE };

static uint32_t stage; /* atomic */
static bool finished;  /* atomic */
static pid_t process;  /* the one that we watch */

/* ---- the end ---- */

/* Once per process: the last words. Returns the status that it should end with. */
static int finish(int status)
{
	if (__atomic_load_n(&stage, __ATOMIC_ACQUIRE) != AWAKE || getpid() != process ||
	    __atomic_exchange_n(&finished, true, __ATOMIC_ACQ_REL))
		return status;
	dh_report_finish();
	return dh_report_exit_status(status);
}

static void at_exit(int status, void *unused)
{
	(void)unused;
	int wanted = finish(status);
	if (wanted != status)
		exit(wanted);
}

/* quick_exit() does not say which status it was given. */
static void at_quick_exit_handler(void)
{
	int wanted = finish(0);
	if (wanted != 0)
		DH_REAL(_exit)(wanted);
}

DH_EXPORT void _exit(int status)
{
	DH_REAL(_exit)(finish(status));
	__builtin_unreachable();
}

DH_EXPORT void _Exit(int status)
{
	_exit(status);
}

static void after_fork(void)
{
	process = getpid();
	__atomic_store_n(&finished, false, __ATOMIC_RELAXED);
}

static void watch_exits(void)
{
	process = getpid();
	on_exit(at_exit, NULL);
	at_quick_exit(at_quick_exit_handler);
	pthread_atfork(NULL, NULL, after_fork);
}

/* ---- the start ---- */

void dh_runtime_init(void)
{
	uint32_t was = ASLEEP;
	if (DH_LIKELY(__atomic_load_n(&stage, __ATOMIC_ACQUIRE) == AWAKE) ||
	    !__atomic_compare_exchange_n(&stage, &was, WAKING, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE))
		return;
	dh_real_resolve();
	dh_flags_init();
	dh_threads_init();
	dh_lifetime_init();
	dh_report_init();
	watch_exits();
	__atomic_store_n(&stage, AWAKE, __ATOMIC_RELEASE);
}

void __tsan_init(void)
{
	dh_runtime_init();
}

/* 101 is the first priority that is not the C library's. */
__attribute__((constructor(101))) static void start(void)
{
	dh_runtime_init();
}
