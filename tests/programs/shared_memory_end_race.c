/* SPDX-License-Identifier: MIT */
/* A segment of shared memory is given back while another thread uses it. */
#include <sys/ipc.h>
#include <sys/shm.h>
#include "threads.h"

static char *p;
static invisible_step_t step;

static void one(void)
{
	p[7] = 1; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	shmdt(p); // race: b
}

int main(void)
{
	int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
	p = shmat(id, NULL, 0);
	shmctl(id, IPC_RMID, NULL);
	run_threads(2, one, two);
	return 0;
}
