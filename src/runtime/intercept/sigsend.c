/* SPDX-License-Identifier: MIT */
/*
 * Sending signals, and waiting for them without a handler: the sender comes before who
 * gets the signal. The kernel does not say which of several senders it was; all of them
 * count, which may hide a race and raises no false alarm. (pthread_kill() is in
 * thread.c.)
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include "runtime/abi.h"
#include "runtime/access.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/sigsend.h"
#include "runtime/intercept/signal.h"
#include "runtime/intercept/watch.h"
#include "runtime/sync.h"

DH_REAL_WANT(kill);
DH_REAL_WANT(killpg);
DH_REAL_WANT(tgkill);
DH_REAL_WANT(sigqueue);
DH_REAL_WANT(pthread_sigqueue);
DH_REAL_WANT(sigwait);
DH_REAL_WANT(sigwaitinfo);
DH_REAL_WANT(sigtimedwait);

static bool is_signal(int number)
{
	return number >= 1 && number <= DH_SIGNALS;
}

void dh_signal_sending(int number)
{
	struct dh_self *t = dh_watched();
	if (t && is_signal(number))
		dh_sync_release_join(t, dh_signal_sync(number));
}

void dh_signal_received(int number)
{
	struct dh_self *t = dh_watched();
	if (t && is_signal(number))
		dh_sync_acquire(t, dh_signal_sync(number));
}

/* ---- sending ---- */

DH_EXPORT int kill(pid_t process, int number)
{
	dh_signal_sending(number);
	return DH_REAL(kill)(process, number);
}

DH_EXPORT int killpg(pid_t group, int number)
{
	dh_signal_sending(number);
	return DH_REAL(killpg)(group, number);
}

DH_EXPORT int tgkill(pid_t process, pid_t thread, int number)
{
	dh_signal_sending(number);
	return DH_REAL(tgkill)(process, thread, number);
}

DH_EXPORT int sigqueue(pid_t process, int number, const union sigval value)
{
	dh_signal_sending(number);
	return DH_REAL(sigqueue)(process, number, value);
}

DH_EXPORT int pthread_sigqueue(pthread_t thread, int number, const union sigval value)
{
	dh_signal_sending(number);
	return DH_REAL(pthread_sigqueue)(thread, number, value);
}

/* Since glibc 2.36. */
DH_EXPORT int pidfd_send_signal(int process, int number, siginfo_t *info, unsigned flags);
DH_REAL_WANT(pidfd_send_signal);
DH_EXPORT int pidfd_send_signal(int process, int number, siginfo_t *info, unsigned flags)
{
	dh_signal_sending(number);
	return DH_REAL(pidfd_send_signal)(process, number, info, flags);
}

/* ---- waiting ---- */

DH_EXPORT int sigwait(const sigset_t *set, int *number)
{
	int result = DH_REAL(sigwait)(set, number);
	if (result == 0) {
		dh_signal_received(*number);
		dh_access_range((uintptr_t)number, sizeof *number, DH_ACCESS_WRITE,
				DH_CALLER());
	}
	return result;
}

static int waited(int number, const siginfo_t *info, uint64_t pc)
{
	dh_signal_received(number);
	if (info && number > 0)
		dh_access_range((uintptr_t)info, sizeof *info, DH_ACCESS_WRITE, pc);
	return number;
}

DH_EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	return waited(DH_REAL(sigwaitinfo)(set, info), info, DH_CALLER());
}

DH_EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info,
			   const struct timespec *limit)
{
	return waited(DH_REAL(sigtimedwait)(set, info, limit), info, DH_CALLER());
}
