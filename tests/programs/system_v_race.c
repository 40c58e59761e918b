/* SPDX-License-Identifier: MIT */
/* Two threads that both take from a semaphore of System V: nothing orders them. */
#include <sys/ipc.h>
#include <sys/sem.h>
#include "threads.h"

static invisible_step_t step;
static int set;
int x;

static void take(void)
{
	struct sembuf one = {.sem_op = -1};
	semop(set, &one, 1);
}

static void one(void)
{
	x = 1; // race: a
	take();
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	take();
	x = 2; // race: b
}

int main(void)
{
	set = semget(IPC_PRIVATE, 1, 0600);
	semctl(set, 0, SETVAL, 2);
	run_threads(2, one, two);
	semctl(set, 0, IPC_RMID);
	return 0;
}
