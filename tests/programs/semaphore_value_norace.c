/* SPDX-License-Identifier: MIT */
/* Who finds by its value that a semaphore was posted comes after who posted it. */
#include <sched.h>
#include <semaphore.h>
#include "threads.h"

static sem_t s;
int x;

static void one(void)
{
	x = 1;
	sem_post(&s);
}

static void two(void)
{
	int value = 0;
	while (sem_getvalue(&s, &value) == 0 && value == 0)
		sched_yield();
	x++;
}

int main(void)
{
	sem_init(&s, 0, 0);
	run_threads(2, one, two);
	return x == 2 ? 0 : 1;
}
