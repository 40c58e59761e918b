/* SPDX-License-Identifier: MIT */
/*
 * Timers that send a signal: who sets one comes before who gets the signal, as if it had
 * been sent there and then. Of timers that were made by timer_create() the signal of each
 * is kept, for as long as there is one of that number.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/lock.h"
#include "base/map.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/sigsend.h"
#include "runtime/intercept/touch.h"
#include "runtime/intercept/watch.h"

/* ---- one for the process ---- */

DH_REAL_WANT(alarm);
DH_EXPORT unsigned alarm(unsigned seconds)
{
	dh_signal_sending(SIGALRM);
	return DH_REAL(alarm)(seconds);
}

DH_REAL_WANT(ualarm);
DH_EXPORT useconds_t ualarm(useconds_t first, useconds_t then)
{
	dh_signal_sending(SIGALRM);
	return DH_REAL(ualarm)(first, then);
}

DH_REAL_WANT(setitimer);
DH_EXPORT int setitimer(__itimer_which_t which, const struct itimerval *value,
			struct itimerval *old)
{
	uint64_t pc = DH_CALLER();
	DH_READS_OBJECT(value, pc);
	dh_signal_sending(which == ITIMER_REAL	    ? SIGALRM
			  : which == ITIMER_VIRTUAL ? SIGVTALRM
						    : SIGPROF);
	int r = DH_REAL(setitimer)(which, value, old);
	if (r == 0)
		DH_WRITES_OBJECT(old, pc);
	return r;
}

DH_REAL_WANT(getitimer);
DH_EXPORT int getitimer(__itimer_which_t which, struct itimerval *to)
{
	int r = DH_REAL(getitimer)(which, to);
	if (r == 0)
		DH_WRITES_OBJECT(to, DH_CALLER());
	return r;
}

/* ---- any number ---- */

static struct dh_map signals; /* by timer; under the lock */
static struct dh_lock lock;
DH_LOCK_AROUND_FORK(lock, DH_FORK_OUTER);

static void keep_signal(timer_t timer, int number)
{
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	dh_lock(&lock);
	*dh_map_put(&signals, (uintptr_t)timer, NULL) = (uint64_t)number;
	dh_unlock(&lock);
	dh_leave_runtime(t);
}

/* 0: it sends none. */
static int signal_of(timer_t timer)
{
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	dh_lock(&lock);
	const uint64_t *known = dh_map_get(&signals, (uintptr_t)timer);
	int number = known ? (int)*known : 0;
	dh_unlock(&lock);
	dh_leave_runtime(t);
	return number;
}

DH_REAL_WANT(timer_create);
DH_EXPORT int timer_create(clockid_t clock, struct sigevent *what, timer_t *made)
{
	uint64_t pc = DH_CALLER();
	DH_READS_OBJECT(what, pc);
	int r = DH_REAL(timer_create)(clock, what, made);
	if (r != 0)
		return r;
	DH_WRITES_OBJECT(made, pc);
	bool sends = !what || what->sigev_notify == SIGEV_SIGNAL ||
		     what->sigev_notify == SIGEV_THREAD_ID;
	keep_signal(*made, !sends ? 0 : what ? what->sigev_signo : SIGALRM);
	return r;
}

DH_REAL_WANT(timer_gettime);
DH_EXPORT int timer_gettime(timer_t timer, struct itimerspec *to)
{
	int r = DH_REAL(timer_gettime)(timer, to);
	if (r == 0)
		DH_WRITES_OBJECT(to, DH_CALLER());
	return r;
}

DH_REAL_WANT(timer_settime);
DH_EXPORT int timer_settime(timer_t timer, int flags, const struct itimerspec *value,
			    struct itimerspec *old)
{
	uint64_t pc = DH_CALLER();
	DH_READS_OBJECT(value, pc);
	dh_signal_sending(signal_of(timer));
	int r = DH_REAL(timer_settime)(timer, flags, value, old);
	if (r == 0)
		DH_WRITES_OBJECT(old, pc);
	return r;
}
