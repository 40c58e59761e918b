/* SPDX-License-Identifier: MIT */
/*
 * Asynchronous cancellation. The C library ends a thread from a signal handler then, at
 * any instruction: also in the middle of the runtime's work, with its locks held. So
 * that signal has to wait like others (signal.c). Its handler is not installed through
 * sigaction(), but when the first thread is cancelled. When a thread first asks for
 * asynchronous cancellation we have the C library do that, and put ours in its place.
 *
 * (Other cancellation happens where a thread waits in the kernel, and it never does so
 * within the runtime.)
 */
#define _GNU_SOURCE
#include <pthread.h>
#include "base/sys.h"
#include "runtime/abi.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/signal.h"
#include "base/kernel.h"

DH_REAL_WANT(pthread_setcanceltype);
DH_REAL_WANT(pthread_create);
DH_REAL_WANT(pthread_join);

enum { CANCEL_SIGNAL = 32, MASK_SIZE = DH_SIGNALS / 8 };

/* The kernel's idea of struct sigaction. */
struct kernel_action {
	void (*function)(int, siginfo_t *, void *);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

/* Puts ours in the place of the C library's handler. False where there is none yet. */
static bool take_over(void)
{
	struct kernel_action a = {0};
	DH_KERNEL_4(__NR_rt_sigaction, CANCEL_SIGNAL, NULL, &a, MASK_SIZE);
	if (a.function == dh_signal_arrived)
		return true;
	if ((uintptr_t)a.function <= 1)
		return false;
	dh_signals_prepare();
	dh_actions[CANCEL_SIGNAL] = (struct dh_action){a.function, a.mask, (int)a.flags};
	a.function = dh_signal_arrived;
	a.flags |= SA_SIGINFO;
	DH_KERNEL_4(__NR_rt_sigaction, CANCEL_SIGNAL, &a, NULL, MASK_SIZE);
	return true;
}

static void *wait_for(void *word)
{
	while (!__atomic_load_n((uint32_t *)word, __ATOMIC_ACQUIRE))
		dh_sys_futex_wait(word, 0);
	return NULL;
}

/* Cancels a thread that takes no notice of it. */
static void have_it_installed(void)
{
	uint32_t go = 0;
	pthread_t t;
	if (DH_REAL(pthread_create)(&t, NULL, wait_for, &go) != 0)
		return;
	pthread_cancel(t);
	__atomic_store_n(&go, 1, __ATOMIC_RELEASE);
	dh_sys_futex_wake(&go, 1);
	DH_REAL(pthread_join)(t, NULL);
}

DH_EXPORT int pthread_setcanceltype(int type, int *former)
{
	static bool done; /* atomic */
	if (type == PTHREAD_CANCEL_ASYNCHRONOUS &&
	    !__atomic_exchange_n(&done, true, __ATOMIC_RELAXED) && !take_over()) {
		have_it_installed();
		take_over();
	}
	return DH_REAL(pthread_setcanceltype)(type, former);
}
