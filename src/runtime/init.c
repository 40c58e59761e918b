/* SPDX-License-Identifier: MIT */
/*
 * Start-up, and the ends of a run that pass by the program's handlers.
 *
 * Start: by this library's constructor, or earlier by the constructor of an
 * instrumented module, or by the first interposed function that needs a watched
 * thread. That is before main() and on the main thread. Real functions come first,
 * because everything may need them; then options, then threads; then what reports.
 *
 * End: report.c sees to exit() and the return from main(); _exit() and quick_exit() are
 * seen to here.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>
#include "runtime/abi.h"
#include "runtime/callers.h"
#include "runtime/cells_wide.h"
#include "runtime/constants.h"
#include "runtime/environment.h"
#include "runtime/flags.h"
#include "runtime/hooks.h"
#include "runtime/intercept/dl.h"
#include "runtime/intercept/fork.h"
#include "runtime/intercept/lifetime.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/rival.h"
#include "runtime/loaded.h"
#include "runtime/missing/missing.h"
#include "runtime/modules.h"
#include "runtime/observer.h"
#include "runtime/openmp/memory.h"
#include "runtime/report.h"
#include "runtime/thread.h"
#include "runtime/thread_locals.h"
#include "runtime/vectors.h"

DH_REAL_WANT(_exit);

DH_EXPORT void __tsan_init(void);

enum { ASLEEP, WAKING, AWAKE };

static uint32_t stage; /* atomic */

/* ---- the end ---- */

static int finish(void)
{
	return __atomic_load_n(&stage, __ATOMIC_ACQUIRE) == AWAKE ? dh_report_finish()
								  : -1;
}

/* Runs after the program's handlers of the kind, since it was registered first. */
static void at_quick_end(void)
{
	int status = finish();
	if (status >= 0)
		DH_REAL(_exit)(status);
}

DH_EXPORT void _exit(int status)
{
	int ours = finish();
	DH_REAL(_exit)(ours >= 0 ? ours : status);
	__builtin_unreachable();
}

DH_EXPORT void _Exit(int status)
{
	_exit(status);
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
	dh_vectors_choose();
	dh_cells_choose();
	dh_environment_tidy();
	dh_threads_init();
	dh_observer_choose();
	dh_observer_start();
	dh_lifetime_init();
	dh_thread_locals_init();
	dh_fork_init();
	dh_omp_memory_init();
	dh_report_init();
	at_quick_exit(at_quick_end);
	__atomic_store_n(&stage, AWAKE, __ATOMIC_RELEASE);
	dh_hook_initialize();
}

void __tsan_init(void)
{
	static bool looked; /* atomic */
	dh_runtime_init();
	dh_dl_constructors_begin();
	dh_callers_note();
	if (!dh_modules_shown())
		dh_loaded_note();
	dh_missing_note();
	if (!__atomic_exchange_n(&looked, true, __ATOMIC_RELAXED))
		dh_malloc_look_for_rival();
}

/* 101 is the first priority that is not the C library's. */
__attribute__((constructor(101))) static void start(void)
{
	dh_runtime_init();
	dh_constants_note();
}
