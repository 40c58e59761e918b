/* SPDX-License-Identifier: MIT */
/*
 * Several threads that start together on the same work, for the stress programs.
 * What is checked is checked always; the sanitizers that the programs are built
 * with check the rest.
 */
#ifndef DH_TESTS_CREW_H
#define DH_TESTS_CREW_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"

enum { CREW = 4 };

#if defined(__SANITIZE_THREAD__)
#define UNDER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNDER_TSAN 1
#endif
#endif

#define REQUIRE(c)                                                                       \
	do {                                                                             \
		if (!(c)) {                                                              \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #c);  \
			abort();                                                         \
		}                                                                        \
	} while (0)

struct hand {
	uint32_t index; /* 0 .. CREW - 1 */
	uint64_t state; /* of roll() */
	void *shared;
	pthread_barrier_t *gate; /* for all of the crew */
	void (*work)(struct hand *h);
};

/* A random number below n, a series of its own for every hand. */
static inline uint32_t roll(struct hand *h, uint32_t n)
{
	h->state += 0x9e3779b97f4a7c15ull;
	return (uint32_t)((dh_mix(h->state) >> 32) * n >> 32);
}

static inline void *crew_main(void *arg)
{
	struct hand *h = arg;
	pthread_barrier_wait(h->gate);
	h->work(h);
	return NULL;
}

/* Runs work in CREW threads and waits for them. */
static inline void crew_run(void (*work)(struct hand *h), void *shared, uint64_t seed)
{
	pthread_barrier_t gate;
	pthread_t thread[CREW];
	struct hand hand[CREW];
	pthread_barrier_init(&gate, NULL, CREW);
	for (uint32_t i = 0; i < CREW; i++) {
		hand[i] = (struct hand){i, seed * 1000 + i, shared, &gate, work};
		REQUIRE(pthread_create(&thread[i], NULL, crew_main, &hand[i]) == 0);
	}
	for (uint32_t i = 0; i < CREW; i++)
		pthread_join(thread[i], NULL);
	pthread_barrier_destroy(&gate);
}

/* All of the crew give one answer to a question: the first is noted in *note (0:
 * none yet), the others must give the same. */
static inline void agree(uint32_t *note, uint32_t answer)
{
	uint32_t first = 0;
	if (!__atomic_compare_exchange_n(note, &first, answer, false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED))
		REQUIRE(first == answer);
}

#endif
