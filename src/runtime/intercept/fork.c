/* SPDX-License-Identifier: MIT */
/*
 * See fork.h. The C library calls handlers around fork(), and around what else is a fork
 * inside (daemon, forkpty): "before" handlers from the last registered to the first, the
 * others from the first to the last. Ours are registered before all others, so that no
 * code of the program runs while we hold the locks of all tables.
 *
 * Two means: the other threads are held up before they enter the runtime (stop.h), which
 * is enough for all that is watched; and the locks of the tables are taken, because
 * threads that are not watched allocate too. Buckets and objects of synchronisation
 * (sync.h) are too many to lock: what is found locked in the child is mended.
 */
#define _GNU_SOURCE
#include "runtime/intercept/fork.h"
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
#include "base/lock.h"
#include "runtime/abi.h"
#include "runtime/heap.h"
#include "runtime/intercept/barrier.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/signal.h"
#include "runtime/intercept/sigsend.h"
#include "base/kernel.h"
#include "runtime/openmp/strand.h"
#include "runtime/report.h"
#include "runtime/stop.h"
#include "runtime/sync.h"

typedef void handler(void);
DH_EXPORT int __register_atfork(handler *before, handler *parent, handler *child,
				void *dso);

DH_REAL_WANT(__register_atfork);
DH_REAL_WANT(_Fork);

extern char __libc_single_threaded __attribute__((weak)); /* since glibc 2.32 */
extern const struct dh_fork_locks __start_dh_fork[] __attribute__((visibility("hidden")));
extern const struct dh_fork_locks __stop_dh_fork[] __attribute__((visibility("hidden")));

static struct dh_lock turn; /* one fork at a time */
static long own_process;    /* 0: not known yet */
static uint64_t mask;	    /* of the thread that forks; under the locks */
static bool alone;	    /* the process has had one thread only; under the locks */
static __thread bool bare __attribute__((tls_model("initial-exec")));

/* ---- the locks ---- */

static void each_lock(uint32_t rank, void (*f)(struct dh_lock *))
{
	for (const struct dh_fork_locks *l = __start_dh_fork; l < __stop_dh_fork; l++) {
		char *at = (char *)l->first;
		for (uint32_t i = 0; l->rank == rank && i < l->count; i++)
			f((struct dh_lock *)(at + (size_t)i * l->stride));
	}
}

static void lock(struct dh_lock *l)
{
	dh_lock(l);
}

static void unlock(struct dh_lock *l)
{
	dh_unlock(l);
}

static void lock_all(void)
{
	dh_report_before_fork();
	for (uint32_t rank = 0; rank < DH_FORK_RANKS; rank++) {
		each_lock(rank, lock);
		if (rank == DH_FORK_HEAP)
			dh_heap_before_fork();
	}
}

static void unlock_all(bool child)
{
	for (uint32_t rank = DH_FORK_RANKS; rank-- > 0;) {
		if (rank == DH_FORK_HEAP)
			dh_heap_after_fork();
		each_lock(rank, unlock);
	}
	dh_report_after_fork(child);
}

/* ---- around the fork ---- */

/* A handler of a fault in the runtime itself may fork, to tell of it: then the locks are
 * as they are. */
void dh_fork_before(void)
{
	struct dh_self *t = dh_thread_self();
	bare = t->inside > 0;
	if (bare)
		return;
	dh_signal_sending(SIGCHLD); /* when the child ends */
	uint64_t old = dh_signals_mask(SIG_BLOCK, ~(uint64_t)0);
	dh_lock(&turn); /* not inside yet: who has it may be waiting for that */
	dh_enter_runtime(t);
	dh_stop_others();
	lock_all();
	mask = old;
	alone = &__libc_single_threaded && __libc_single_threaded;
}

void dh_fork_in_parent(void)
{
	uint64_t old = mask;
	if (bare)
		return;
	unlock_all(false);
	dh_stop_end();
	dh_unlock(&turn);
	dh_signals_mask(SIG_SETMASK, old);
	dh_leave_runtime(dh_thread_self());
}

void dh_fork_in_child(void)
{
	uint64_t old = mask;
	own_process = DH_KERNEL_0(__NR_getpid);
	if (bare)
		return;
	unlock_all(true);
	dh_stop_end();
	turn = (struct dh_lock){0};
	dh_strands_after_fork();
	dh_threads_after_fork();
	if (!alone)
		dh_sync_after_fork();
	dh_barriers_after_fork();
	dh_signals_after_fork();
	dh_signals_mask(SIG_SETMASK, old);
	dh_leave_runtime(dh_thread_self());
}

bool dh_in_borrowed_memory(void)
{
	return own_process && DH_KERNEL_0(__NR_getpid) != own_process;
}

/* ---- who calls it ---- */

/* fork() itself locks the list of streams after its handlers have run. Who has that list may be
 * waiting for a stream, and who has the stream for memory of ours: so the list comes first. */
extern void _IO_list_lock(void) __attribute__((weak));
extern void _IO_list_unlock(void) __attribute__((weak));
extern void _IO_list_resetlock(void) __attribute__((weak));

static bool may_lock_streams(void)
{
	return _IO_list_lock && _IO_list_unlock && _IO_list_resetlock &&
	       !dh_thread_self()->inside;
}

static void at_fork_before(void)
{
	if (may_lock_streams())
		_IO_list_lock();
	dh_fork_before();
}

static void at_fork_in_parent(void)
{
	dh_fork_in_parent();
	if (may_lock_streams())
		_IO_list_unlock();
}

static void at_fork_in_child(void)
{
	dh_fork_in_child();
	if (may_lock_streams())
		_IO_list_resetlock();
}

static void be_first(void)
{
	static uint32_t done; /* atomic */
	if (__atomic_exchange_n(&done, 1, __ATOMIC_RELAXED) == 0)
		DH_REAL(__register_atfork)
	(at_fork_before, at_fork_in_parent, at_fork_in_child, NULL);
}

void dh_fork_init(void)
{
	own_process = DH_KERNEL_0(__NR_getpid);
	dh_stop_init();
	be_first();
}

/* What pthread_atfork() is made of. */
DH_EXPORT int __register_atfork(handler *before, handler *parent, handler *child,
				void *dso)
{
	be_first();
	return DH_REAL(__register_atfork)(before, parent, child, dso);
}

/* The fork without handlers. */
DH_EXPORT pid_t _Fork(void)
{
	dh_fork_before();
	pid_t pid = DH_REAL(_Fork)();
	if (pid == 0)
		dh_fork_in_child();
	else
		dh_fork_in_parent();
	return pid;
}
