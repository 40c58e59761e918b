/* SPDX-License-Identifier: MIT */
/* What SharedSpot and LocalSpot of the Goldilocks paper share: integers that have a lock
 * each, and arithmetic on them under it. */
#ifndef BENCH_SPOT_H
#define BENCH_SPOT_H

#include "../kernels/kernel.h"

enum { SPOTS = 1024, TURNS = 500000 };

static struct spot {
	pthread_mutex_t lock;
	uint64_t value;
} spot[SPOTS];

static inline void spot_turn(struct spot *s, uint64_t n)
{
	pthread_mutex_lock(&s->lock);
	s->value += n;
	pthread_mutex_unlock(&s->lock);
}

/* The whole program; choose(id, n) is the spot of the n-th turn of a thread. */
static inline void spot_turns(long id, long (*choose)(long id, uint64_t n))
{
	long turns = kernel_scaled(TURNS);
	uint64_t seed = (uint64_t)id;

	for (long i = kernel_first(turns, id); i < kernel_last(turns, id); i++)
		spot_turn(&spot[choose(id, kernel_random(&seed))], (uint64_t)i);
}

static inline int spot_main(int argc, char **argv, void (*work)(long id))
{
	uint64_t sum = 0;

	kernel_open(argc, argv);
	for (int i = 0; i < SPOTS; i++)
		pthread_mutex_init(&spot[i].lock, NULL);
	kernel_run(work);
	for (int i = 0; i < SPOTS; i++)
		sum += spot[i].value;
	return kernel_close(sum);
}

#endif
