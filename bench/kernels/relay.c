/* SPDX-License-Identifier: MIT */
/* Pages that go round: each thread copies a page out of a shared place, changes some of
 * it and copies it back, under the lock of the place. */
#include "kernel.h"

#include <string.h>

enum { PLACES = 16, PAGE = 2048, TURNS = 200000 };

static struct place {
	pthread_mutex_t lock;
	unsigned char page[PAGE];
} place[PLACES];

static void work(long id)
{
	long turns = kernel_scaled(TURNS);
	unsigned char page[PAGE];

	for (long i = kernel_first(turns, id); i < kernel_last(turns, id); i++) {
		uint64_t seed = (uint64_t)i, r = kernel_random(&seed);
		struct place *p = &place[r % PLACES];

		pthread_mutex_lock(&p->lock);
		memcpy(page, p->page, PAGE);
		for (int k = 0; k < 16; k++)
			page[(r >> k) % PAGE]++;
		memcpy(p->page, page, PAGE);
		pthread_mutex_unlock(&p->lock);
	}
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;

	kernel_open(argc, argv);
	for (int i = 0; i < PLACES; i++)
		pthread_mutex_init(&place[i].lock, NULL);
	kernel_run(work);
	for (int i = 0; i < PLACES; i++)
		for (int k = 0; k < PAGE; k++)
			sum += place[i].page[k];
	return kernel_close(sum);
}
