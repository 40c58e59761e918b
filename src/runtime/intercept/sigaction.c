/* SPDX-License-Identifier: MIT */
/*
 * The functions that install signal handlers. The kernel is told dh_signal_arrived()
 * for each handler of the program, with its mask and flags; what the program gave is in
 * dh_actions, and given back when it asks. The kernel alone knows whether a signal has a
 * handler at all: SA_RESETHAND, sigignore(), system() and exec change that without us.
 *
 * SA_SIGINFO is always set, because we look at the origin of a signal; SA_NODEFER never
 * (signal.c).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include "base/lock.h"
#include "runtime/abi.h"
#include "runtime/access.h"
#include "runtime/intercept/fork.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/signal.h"
#include "runtime/intercept/watch.h"
#include "runtime/sync.h"

DH_REAL_WANT(sigaction);

static struct dh_lock lock; /* kernel and dh_actions agree */
DH_LOCK_AROUND_FORK(lock, DH_FORK_TABLES);
static uint64_t interrupting; /* atomic; signals that siginterrupt() was called for */

/* ---- what we tell the kernel, and what it tells us ---- */

static bool is_function(const struct sigaction *a)
{
	return a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN &&
	       a->sa_handler != SIG_ERR;
}

static struct dh_action get(int number)
{
	return dh_actions[number];
}

static void put(int number, struct dh_action a)
{
	struct dh_action *to = &dh_actions[number];
	__atomic_store_n(&to->mask, a.mask, __ATOMIC_RELAXED);
	__atomic_store_n(&to->flags, a.flags, __ATOMIC_RELAXED);
	__atomic_store_n(&to->function, a.function, __ATOMIC_RELEASE);
}

static struct dh_action given(const struct sigaction *a)
{
	struct dh_action made = {.function = a->sa_sigaction, .flags = a->sa_flags};
	dh_copy(&made.mask, &a->sa_mask, sizeof made.mask);
	return made;
}

static void ours(struct sigaction *a)
{
	a->sa_sigaction = dh_signal_arrived;
	a->sa_flags = (a->sa_flags | SA_SIGINFO) & ~SA_NODEFER;
}

/* What the kernel had, as the program gave it. */
static void theirs(struct sigaction *a, const struct dh_action *was)
{
	if (a->sa_sigaction != dh_signal_arrived)
		return;
	a->sa_sigaction = was->function;
	a->sa_flags = was->flags;
}

/* next and former may be NULL; they are memory of ours. */
static int change(int number, const struct sigaction *next, struct sigaction *former)
{
	struct sigaction kernels;
	struct dh_action was = get(number);
	if (next && is_function(next)) {
		kernels = *next;
		ours(&kernels);
		put(number, given(next));
		next = &kernels;
	}
	int result = DH_REAL(sigaction)(number, next, former);
	if (result != 0)
		put(number, was);
	else if (former)
		theirs(former, &was);
	return result;
}

static int change_locked(int number, const struct sigaction *next,
			 struct sigaction *former)
{
	struct dh_self *t = dh_thread_self();
	if (next && is_function(next) && dh_watched())
		dh_sync_release_join(t, dh_signal_sync(number));
	dh_signals_prepare();
	dh_enter_runtime(t);
	dh_lock(&lock);
	int result = change(number, next, former);
	dh_unlock(&lock);
	dh_leave_runtime(t);
	return result;
}

/* In a process that only borrows our memory the handlers are its own, and they are the
 * kernel's business. */
static int change_borrowed(int number, const struct sigaction *next,
			   struct sigaction *former)
{
	struct dh_action was = get(number);
	int result = DH_REAL(sigaction)(number, next, former);
	if (result == 0 && former)
		theirs(former, &was);
	return result;
}

/* Behind all of the below. next and former are the program's. */
static int set_action(int number, const struct sigaction *next, struct sigaction *former)
{
	struct sigaction in, out;
	if (number < 1 || number > DH_SIGNALS)
		return DH_REAL(sigaction)(number, next, former);
	if (next)
		in = *next;
	int result = (dh_in_borrowed_memory() ? change_borrowed : change_locked)(
	    number, next ? &in : NULL, former ? &out : NULL);
	if (result == 0 && former)
		*former = out;
	return result;
}

/* ---- sigaction ---- */

DH_EXPORT int sigaction(int number, const struct sigaction *next,
			struct sigaction *former)
{
	if (next)
		dh_access_range((uintptr_t)next, sizeof *next, 0, DH_CALLER());
	int result = set_action(number, next, former);
	if (former && result == 0)
		dh_access_range((uintptr_t)former, sizeof *former, DH_ACCESS_WRITE,
				DH_CALLER());
	return result;
}
DH_OLD_NAME(__sigaction, sigaction);

/* ---- signal and its kin ---- */

static __sighandler_t install(int number, __sighandler_t f, int flags, bool blocks_itself)
{
	struct sigaction next = {.sa_handler = f, .sa_flags = flags}, former;
	if (f == SIG_ERR || number < 1 || number > DH_SIGNALS) {
		errno = EINVAL;
		return SIG_ERR;
	}
	sigemptyset(&next.sa_mask);
	if (blocks_itself)
		sigaddset(&next.sa_mask, number);
	return set_action(number, &next, &former) == 0 ? former.sa_handler : SIG_ERR;
}

static int restarts(int number)
{
	uint64_t set = __atomic_load_n(&interrupting, __ATOMIC_RELAXED);
	return set & dh_signal_bit(number) ? 0 : SA_RESTART;
}

DH_EXPORT __sighandler_t signal(int number, __sighandler_t f)
{
	return install(number, f, restarts(DH_MIN(DH_MAX(number, 1), (int)DH_SIGNALS)),
		       true);
}
DH_OLD_NAME(bsd_signal, signal);
DH_OLD_NAME(ssignal, signal);

DH_EXPORT __sighandler_t sysv_signal(int number, __sighandler_t f)
{
	return install(number, f, SA_RESETHAND | SA_NODEFER, false);
}
DH_OLD_NAME(__sysv_signal, sysv_signal);

DH_EXPORT int siginterrupt(int number, int interrupt)
{
	struct sigaction a;
	if (set_action(number, NULL, &a) != 0)
		return -1;
	if (interrupt) {
		__atomic_fetch_or(&interrupting, dh_signal_bit(number), __ATOMIC_RELAXED);
		a.sa_flags &= ~SA_RESTART;
	} else {
		__atomic_fetch_and(&interrupting, ~dh_signal_bit(number),
				   __ATOMIC_RELAXED);
		a.sa_flags |= SA_RESTART;
	}
	return set_action(number, &a, NULL);
}

/* ---- System V's ---- */

#ifndef SIG_HOLD
#define SIG_HOLD ((__sighandler_t)2)
#endif

static bool block(int how, int number)
{
	sigset_t set, was;
	sigemptyset(&set);
	sigaddset(&set, number);
	return sigprocmask(how, &set, &was) == 0 && sigismember(&was, number);
}

DH_EXPORT __sighandler_t sigset(int number, __sighandler_t f)
{
	struct sigaction former;
	if (f == SIG_ERR || number < 1 || number > DH_SIGNALS) {
		errno = EINVAL;
		return SIG_ERR;
	}
	if (f == SIG_HOLD) {
		if (block(SIG_BLOCK, number))
			return SIG_HOLD;
		return set_action(number, NULL, &former) == 0 ? former.sa_handler
							      : SIG_ERR;
	}
	__sighandler_t was = install(number, f, 0, false);
	if (was == SIG_ERR)
		return was;
	return block(SIG_UNBLOCK, number) ? SIG_HOLD : was;
}
