/* SPDX-License-Identifier: MIT */
/* A variable is set plainly and handed to two threads that use it atomically. */
#include <semaphore.h>
#include "threads.h"

static invisible_step_t step;
static sem_t set;
static int references;

static void one(void)
{
	references = 1;
	sem_post(&set);
	sem_post(&set);
}

static void two(void)
{
	sem_wait(&set);
	__atomic_fetch_add(&references, 1, __ATOMIC_RELAXED);
	invisible_advance(&step);
}

static void three(void)
{
	invisible_await(&step, 1);
	sem_wait(&set);
	__atomic_fetch_add(&references, 1, __ATOMIC_RELAXED);
}

int main(void)
{
	sem_init(&set, 0, 0);
	run_threads(3, one, two, three);
	return references != 3;
}
