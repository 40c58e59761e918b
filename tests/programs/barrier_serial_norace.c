/* SPDX-License-Identifier: MIT */
/* Nobody is past a barrier before all have arrived, and one of them is told so each time:
 * where as many threads use it as it is for, one of which is not watched, and where twice
 * as many do. */
#include <pthread.h>
#include <stdio.h>
#include "../../include/deadheat.h"

enum { THREADS = 6, ROUNDS = 500 };
static pthread_barrier_t all, half;
static int arrived[ROUNDS], serial[2], early;

static int meet(pthread_barrier_t *b)
{
	return pthread_barrier_wait(b) == PTHREAD_BARRIER_SERIAL_THREAD;
}

static void *work(void *unwatched)
{
	if (unwatched)
		DEADHEAT_IGNORE_SYNC_BEGIN();
	for (int i = 0; i < ROUNDS; i++) {
		__atomic_add_fetch(&arrived[i], 1, __ATOMIC_RELAXED);
		__atomic_add_fetch(&serial[0], meet(&all), __ATOMIC_RELAXED);
		if (__atomic_load_n(&arrived[i], __ATOMIC_RELAXED) != THREADS)
			__atomic_store_n(&early, 1, __ATOMIC_RELAXED);
		__atomic_add_fetch(&serial[1], meet(&half), __ATOMIC_RELAXED);
	}
	if (unwatched)
		DEADHEAT_IGNORE_SYNC_END();
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];

	pthread_barrier_init(&all, NULL, THREADS);
	pthread_barrier_init(&half, NULL, THREADS / 2);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, i == 0 ? &all : NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	pthread_barrier_destroy(&all);
	pthread_barrier_destroy(&half);
	return early || serial[0] != ROUNDS || serial[1] != 2 * ROUNDS;
}
