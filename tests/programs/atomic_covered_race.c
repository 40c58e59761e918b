/* SPDX-License-Identifier: MIT */
/* Two threads use variables atomically, which is no race; the later has the last word. A
 * third comes after that one alone, and uses them plainly. */
#include <semaphore.h>
#include "threads.h"

static invisible_step_t step;
static sem_t done;
static int sum, flag, seen;

static void one(void)
{
	__atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);	 // race: a
	seen = __atomic_load_n(&flag, __ATOMIC_RELAXED); // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	__atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
	sem_post(&done);
}

static void three(void)
{
	sem_wait(&done);
	sum++;	  // race: b
	flag = 2; // race: b
}

int main(void)
{
	sem_init(&done, 0, 0);
	run_threads(3, one, two, three);
	return sum != 3 || seen;
}
