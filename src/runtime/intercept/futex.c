/* SPDX-License-Identifier: MIT */
/*
 * System calls that synchronise. Locks that the kernel hands on: a program that makes its
 * own of the system call futex() takes and gives back a free one by an atomic operation,
 * which is seen; once somebody waits for it the kernel changes the word in the program's
 * place (FUTEX_LOCK_PI and its kin), acquiring and releasing.
 *
 * To wait at a word, and to wake who does, orders nothing: the word's value does.
 *
 * And membarrier(), by which a thread has fences put into all others (fences.h); and those
 * that send signals, which not all C libraries have functions for.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "runtime/edges.h"
#include "runtime/intercept/prelude.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/sigsend.h"
#include "runtime/intercept/watch.h"
#include "runtime/sync.h"

/* Since Linux 5.14. */
#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2 13
#endif

DH_REAL_WANT(syscall);

/* These have no last argument. */
static long take(long number, long word, long what, long value, long until, long other)
{
	long r = DH_REAL(syscall)(number, word, what, value, until, other, 0L);
	struct dh_self *t = dh_watched();
	bool requeued = (what & FUTEX_CMD_MASK) == FUTEX_WAIT_REQUEUE_PI;
	if (r == 0 && t)
		dh_sync_acquire(t, (uintptr_t)(requeued ? other : word));
	return r;
}

static long put_fences(long number, long command, long flags, long processor)
{
	enum {
		FENCES = MEMBARRIER_CMD_GLOBAL | MEMBARRIER_CMD_GLOBAL_EXPEDITED |
			 MEMBARRIER_CMD_PRIVATE_EXPEDITED |
			 MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE
	};
	const uint32_t main_only = 2; /* the first is nobody's */
	if (command != MEMBARRIER_CMD_QUERY)
		dh_fences_enlist(__atomic_load_n(&dh_slot_count, __ATOMIC_RELAXED) <= main_only);
	long r = DH_REAL(syscall)(number, command, flags, processor, 0L, 0L, 0L);
	if (r == 0 && (command & FENCES))
		dh_edge_fence(__ATOMIC_SEQ_CST);
	return r;
}

/* The signal that is to be sent, by its number; else 0. */
static int signal_of(long number, long second, long third)
{
	switch (number) {
	case SYS_kill:
	case SYS_tkill:
	case SYS_rt_sigqueueinfo:
	case SYS_pidfd_send_signal:
		return (int)second;
	case SYS_tgkill:
	case SYS_rt_tgsigqueueinfo:
		return (int)third;
	default:
		return 0;
	}
}

/* Not static: called by DH_PRELUDE. */
void *dh_choose_syscall(long number, long word, long what, long value);
void *dh_choose_syscall(long number, long word, long what, long value)
{
	dh_signal_sending(signal_of(number, what, value));
	if (number == SYS_membarrier)
		return (void *)(uintptr_t)put_fences;
	if (number == SYS_futex)
		switch (what & FUTEX_CMD_MASK) {
		case FUTEX_UNLOCK_PI: {
			struct dh_self *t = dh_watched();
			if (t)
				dh_sync_release_join(t, (uintptr_t)word);
			break;
		}
		case FUTEX_LOCK_PI:
		case FUTEX_LOCK_PI2:
		case FUTEX_TRYLOCK_PI:
		case FUTEX_WAIT_REQUEUE_PI:
			return (void *)(uintptr_t)take;
		}
	return (void *)(uintptr_t)DH_REAL(syscall);
}

/* Whatever else the program asks of the kernel is passed on untouched. */
DH_PRELUDE(syscall, dh_choose_syscall);
