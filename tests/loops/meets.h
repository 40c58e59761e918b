/* SPDX-License-Identifier: MIT */
/*
 * For programs of random.t in which the loops of one thread meet single accesses of
 * another (told.h). What these programs need beside that, the detector does not see.
 */
#ifndef TESTS_LOOPS_MEETS_H
#define TESTS_LOOPS_MEETS_H

#include "../programs/invisible.h"
#include "told.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

static invisible_step_t step;
static volatile unsigned long sum;
static char *arenas;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* The arena of a function, where it begins. */
INVISIBLE char *at(int number)
{
	return arenas + (size_t)number * ARENA + FIRST;
}

INVISIBLE void use(unsigned long result)
{
	sum = result;
}

void take(void *lock)
{
	(void)lock;
	pthread_mutex_lock(&mutex);
}

void give(void *lock)
{
	(void)lock;
	pthread_mutex_unlock(&mutex);
}

#define SET(type, p)                                                                     \
	do {                                                                             \
		*(volatile type *)(p) = 1;                                               \
	} while (0)
#define GET(type, p)                                                                     \
	do {                                                                             \
		(void)*(volatile type *)(p);                                             \
	} while (0)

#define MAIN(count)                                                                      \
	int main(void)                                                                   \
	{                                                                                \
		pthread_t t[2];                                                          \
		arenas = mmap(NULL, (size_t)(count) * ARENA, PROT_READ | PROT_WRITE,     \
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);       \
		if (arenas == MAP_FAILED)                                                \
			abort();                                                         \
		before();                                                                \
		pthread_create(&t[0], NULL, first, NULL);                                \
		pthread_create(&t[1], NULL, second, NULL);                               \
		pthread_join(t[0], NULL);                                                \
		pthread_join(t[1], NULL);                                                \
		return 0;                                                                \
	}

#endif
