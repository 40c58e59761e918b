/* SPDX-License-Identifier: MIT */
/*
 * Messages and semaphores of System V. A semaphore has two places: who waits for it to be
 * large enough comes after who made it larger; who waits for it to be zero comes after
 * who made it smaller, and after who set it.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"
#include "runtime/ways.h"

static const enum dh_place RAISED = DH_PLACE_FIRST, LOWERED = DH_PLACE_SECOND;

/* ---- messages ---- */

DH_REAL_WANT(msgsnd);
DH_EXPORT int msgsnd(int queue, const void *from, size_t n, int flags)
{
	dh_reads(from, sizeof(long) + n, DH_CALLER());
	dh_way_release(DH_WAY_QUEUE, (uint64_t)queue, 0, DH_PLACE_FIRST);
	return DH_REAL(msgsnd)(queue, from, n, flags);
}

DH_REAL_WANT(msgrcv);
DH_EXPORT ssize_t msgrcv(int queue, void *to, size_t room, long type, int flags)
{
	ssize_t n = DH_REAL(msgrcv)(queue, to, room, type, flags);
	if (n >= 0) {
		dh_way_acquire(DH_WAY_QUEUE, (uint64_t)queue, 0, DH_PLACE_FIRST);
		dh_writes(to, sizeof(long) + (size_t)n, DH_CALLER());
	}
	return n;
}

/* ---- semaphores ---- */

static void release(int set, unsigned number, enum dh_place place)
{
	dh_way_release(DH_WAY_SEMAPHORE, (uint64_t)set, number, place);
}

static void acquire(int set, unsigned number, enum dh_place place)
{
	dh_way_acquire(DH_WAY_SEMAPHORE, (uint64_t)set, number, place);
}

static void will_change(int set, const struct sembuf *steps, size_t n, uint64_t pc)
{
	dh_reads(steps, n * sizeof *steps, pc);
	for (size_t i = 0; i < n; i++)
		if (steps[i].sem_op)
			release(set, steps[i].sem_num,
				steps[i].sem_op > 0 ? RAISED : LOWERED);
}

static void have_changed(int set, const struct sembuf *steps, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (steps[i].sem_op <= 0)
			acquire(set, steps[i].sem_num,
				steps[i].sem_op ? RAISED : LOWERED);
}

DH_REAL_WANT(semop);
DH_EXPORT int semop(int set, struct sembuf *steps, size_t n)
{
	will_change(set, steps, n, DH_CALLER());
	int r = DH_REAL(semop)(set, steps, n);
	if (r == 0)
		have_changed(set, steps, n);
	return r;
}

DH_REAL_WANT(semtimedop);
DH_EXPORT int semtimedop(int set, struct sembuf *steps, size_t n,
			 const struct timespec *most)
{
	will_change(set, steps, n, DH_CALLER());
	DH_READS_OBJECT(most, DH_CALLER());
	int r = DH_REAL(semtimedop)(set, steps, n, most);
	if (r == 0)
		have_changed(set, steps, n);
	return r;
}

DH_REAL_WANT(semctl);

static void will_set(int set, unsigned number)
{
	release(set, number, RAISED);
	release(set, number, LOWERED);
}

static void will_set_all(int set)
{
	struct semid_ds facts;
	if (DH_REAL(semctl)(set, 0, IPC_STAT, &facts) < 0)
		return;
	for (unsigned i = 0; i < facts.sem_nsems; i++)
		will_set(set, i);
}

/* What the fourth argument is depends on the command; a pointer has room for each. */
DH_EXPORT int semctl(int set, int number, int command, ...)
{
	va_list ap;
	va_start(ap, command);
	void *arg = va_arg(ap, void *);
	va_end(ap);
	if (command == SETVAL)
		will_set(set, (unsigned)number);
	else if (command == SETALL)
		will_set_all(set);
	return DH_REAL(semctl)(set, number, command, arg);
}
