/* SPDX-License-Identifier: MIT */
/*
 * Signal handlers of the program. The kernel calls dh_signal_arrived() in place of each,
 * which runs it at once or, where the signal has interrupted the runtime in the middle
 * of its work (`inside`, see thread.h), as soon as that is done.
 *
 * Putting off: the signal is noted with all that its handler is told, and the thread
 * goes on with all signals blocked; so nothing can pile up, and what comes meanwhile
 * waits in the kernel, in its order. When `inside` falls to zero the handlers run, with
 * the mask that they asked for, on the stack that they asked for, and the thread's own
 * mask is put back. Signals that the thread's own instruction has raised (a bad address,
 * a division) are never put off.
 *
 * What a handler that was put off sees of the interrupted context is a copy: changes
 * that it makes there are lost, but for the mask of blocked signals.
 *
 * Who installs a handler, or sends a signal, comes before the handler's run.
 *
 * Context: everything here may be called at any time, in handlers too.
 */
#ifndef DH_RUNTIME_INTERCEPT_SIGNAL_H
#define DH_RUNTIME_INTERCEPT_SIGNAL_H

#include <signal.h>
#include "base/base.h"

enum { DH_SIGNALS = 64 }; /* the kernel's, from 1 on */

/* What the program wants done. Each field is atomic. */
struct dh_action {
	void (*function)(int, siginfo_t *, void *);
	uint64_t mask;
	int flags;
};

/* By signal; of those that the kernel has dh_signal_arrived() for (sigaction.c). */
extern struct dh_action dh_actions[DH_SIGNALS + 1];

/* What the kernel calls. */
void dh_signal_arrived(int number, siginfo_t *info, void *context);

/* Has put-off handlers run from now on. Before the kernel is told of the above. */
void dh_signals_prepare(void);

/* In the child after a fork: what was put off is the parent's. */
void dh_signals_after_fork(void);

/* The thread's mask of blocked signals, in the kernel's form: how is SIG_BLOCK and its
 * kin; returns the former one. Past libc, which keeps two signals to itself. */
uint64_t dh_signals_mask(int how, uint64_t set);

DH_INLINE uint64_t dh_signal_bit(int number)
{
	return (uint64_t)1 << (number - 1);
}

/* What the sender of a signal and who gets it synchronise on. */
DH_INLINE uintptr_t dh_signal_sync(int number)
{
	return (uintptr_t)&dh_actions[number];
}

#endif
