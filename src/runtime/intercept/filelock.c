/* SPDX-License-Identifier: MIT */
/*
 * Locks of whole files and messages in POSIX queues, which are files too, and may be told of by
 * a signal. Locks that belong to the process, as lockf() and F_SETLK take them, order no
 * threads of it.
 */
#define _GNU_SOURCE
#include <mqueue.h>
#include <signal.h>
#include <sys/file.h>
#include "runtime/intercept/real.h"
#include "runtime/intercept/sigsend.h"
#include "runtime/intercept/touch.h"
#include "runtime/ways.h"

/* ---- locks ---- */

DH_REAL_WANT(flock);
DH_EXPORT int flock(int fd, int what)
{
	const enum dh_file_held how = what & LOCK_UN   ? DH_HELD_NOT
				      : what & LOCK_SH ? DH_HELD_FOR_READING
						       : DH_HELD_FOR_WRITING;
	dh_file_locking(fd, DH_LOCK_FLOCK, how);
	int r = DH_REAL(flock)(fd, what);
	if (r == 0)
		dh_file_locked(fd, DH_LOCK_FLOCK, how);
	return r;
}

/* ---- message queues ---- */

/* The signals that say so when a message comes, of whatever queue: a bit for each. */
static uint64_t signals; /* atomic */

DH_REAL_WANT(mq_notify);
DH_EXPORT int mq_notify(mqd_t queue, const struct sigevent *how)
{
	DH_READS_OBJECT(how, DH_CALLER());
	const unsigned bit = how && how->sigev_notify == SIGEV_SIGNAL
				 ? (unsigned)how->sigev_signo - 1
				 : 64;
	if (bit < 64)
		__atomic_fetch_or(&signals, (uint64_t)1 << bit, __ATOMIC_RELAXED);
	return DH_REAL(mq_notify)(queue, how);
}

static void will_send(mqd_t queue, const char *from, size_t n, uint64_t pc)
{
	dh_reads(from, n, pc);
	dh_file_release(queue);
	for (uint64_t left = DH_LOAD(&signals); left; left &= left - 1)
		dh_signal_sending(__builtin_ctzll(left) + 1);
}

static ssize_t received(mqd_t queue, const char *to, const unsigned *priority, ssize_t n,
			uint64_t pc)
{
	if (n < 0)
		return n;
	dh_file_acquire(queue);
	dh_writes(to, (size_t)n, pc);
	DH_WRITES_OBJECT(priority, pc);
	return n;
}

DH_REAL_WANT(mq_send);
DH_EXPORT int mq_send(mqd_t queue, const char *from, size_t n, unsigned priority)
{
	will_send(queue, from, n, DH_CALLER());
	return DH_REAL(mq_send)(queue, from, n, priority);
}

DH_REAL_WANT(mq_timedsend);
DH_EXPORT int mq_timedsend(mqd_t queue, const char *from, size_t n, unsigned priority,
			   const struct timespec *until)
{
	DH_READS_OBJECT(until, DH_CALLER());
	will_send(queue, from, n, DH_CALLER());
	return DH_REAL(mq_timedsend)(queue, from, n, priority, until);
}

DH_REAL_WANT(mq_receive);
DH_EXPORT ssize_t mq_receive(mqd_t queue, char *to, size_t room, unsigned *priority)
{
	return received(queue, to, priority,
			DH_REAL(mq_receive)(queue, to, room, priority), DH_CALLER());
}

DH_REAL_WANT(mq_timedreceive);
DH_EXPORT ssize_t mq_timedreceive(mqd_t queue, char *restrict to, size_t room,
				  unsigned *restrict priority,
				  const struct timespec *restrict until)
{
	DH_READS_OBJECT(until, DH_CALLER());
	return received(queue, to, priority,
			DH_REAL(mq_timedreceive)(queue, to, room, priority, until),
			DH_CALLER());
}

DH_REAL_WANT(mq_getattr);
DH_EXPORT int mq_getattr(mqd_t queue, struct mq_attr *to)
{
	int r = DH_REAL(mq_getattr)(queue, to);
	if (r == 0)
		DH_WRITES_OBJECT(to, DH_CALLER());
	return r;
}

DH_REAL_WANT(mq_setattr);
DH_EXPORT int mq_setattr(mqd_t queue, const struct mq_attr *restrict from,
			 struct mq_attr *restrict old)
{
	uint64_t pc = DH_CALLER();
	DH_READS_OBJECT(from, pc);
	int r = DH_REAL(mq_setattr)(queue, from, old);
	if (r == 0)
		DH_WRITES_OBJECT(old, pc);
	return r;
}
