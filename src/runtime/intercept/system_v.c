/* SPDX-License-Identifier: MIT */
/*
 * Messages and semaphores of System V. A semaphore has two places: who waits for it to be
 * large enough comes after who made it larger; who waits for it to be zero comes after
 * who made it smaller, and after who set it. Who asks for its value comes after both, and who
 * waits in vain, since it is gone, after who removed it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"
#include "runtime/ways.h"

static const enum dh_place RAISED = DH_PLACE_FIRST, LOWERED = DH_PLACE_SECOND;

/* The place of a whole set: none of its semaphores has this number. */
enum { SET = UINT32_MAX };

/* Has the call failed because there is none any more? */
static bool is_gone(long r)
{
	return r < 0 && (errno == EIDRM || errno == EINVAL);
}

/* ---- messages ---- */

DH_REAL_WANT(msgsnd);
DH_EXPORT int msgsnd(int queue, const void *from, size_t n, int flags)
{
	dh_reads(from, sizeof(long) + n, DH_CALLER());
	dh_way_release(DH_WAY_QUEUE, (uint64_t)queue, 0, DH_PLACE_FIRST);
	int r = DH_REAL(msgsnd)(queue, from, n, flags);
	if (is_gone(r))
		dh_way_acquire(DH_WAY_QUEUE, (uint64_t)queue, 0, DH_PLACE_FIRST);
	return r;
}

DH_REAL_WANT(msgrcv);
DH_EXPORT ssize_t msgrcv(int queue, void *to, size_t room, long type, int flags)
{
	ssize_t n = DH_REAL(msgrcv)(queue, to, room, type, flags);
	if (n >= 0 || is_gone(n))
		dh_way_acquire(DH_WAY_QUEUE, (uint64_t)queue, 0, DH_PLACE_FIRST);
	if (n >= 0)
		dh_writes(to, sizeof(long) + (size_t)n, DH_CALLER());
	return n;
}

DH_REAL_WANT(msgctl);
DH_EXPORT int msgctl(int queue, int command, struct msqid_ds *facts)
{
	uint64_t pc = DH_CALLER();
	if (command == IPC_RMID)
		dh_way_release(DH_WAY_QUEUE, (uint64_t)queue, 0, DH_PLACE_FIRST);
	else if (command == IPC_SET)
		DH_READS_OBJECT(facts, pc);
	int r = DH_REAL(msgctl)(queue, command, facts);
	if (r >= 0 && command == IPC_STAT)
		DH_WRITES_OBJECT(facts, pc);
	return r;
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

static void have_tried(int set, const struct sembuf *steps, size_t n, int r)
{
	if (r == 0)
		have_changed(set, steps, n);
	else if (is_gone(r))
		acquire(set, SET, RAISED);
}

DH_REAL_WANT(semop);
DH_EXPORT int semop(int set, struct sembuf *steps, size_t n)
{
	will_change(set, steps, n, DH_CALLER());
	int r = DH_REAL(semop)(set, steps, n);
	have_tried(set, steps, n, r);
	return r;
}

DH_REAL_WANT(semtimedop);
DH_EXPORT int semtimedop(int set, struct sembuf *steps, size_t n,
			 const struct timespec *most)
{
	will_change(set, steps, n, DH_CALLER());
	DH_READS_OBJECT(most, DH_CALLER());
	int r = DH_REAL(semtimedop)(set, steps, n, most);
	have_tried(set, steps, n, r);
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
	else if (command == IPC_RMID)
		release(set, SET, RAISED);
	int r = DH_REAL(semctl)(set, number, command, arg);
	if (r >= 0 && command == GETVAL) {
		acquire(set, (unsigned)number, RAISED);
		acquire(set, (unsigned)number, LOWERED);
	}
	return r;
}
