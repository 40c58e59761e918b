/* SPDX-License-Identifier: MIT */
/* Structures of four ints, two to a word of shadow: each thread updates its own array,
 * and a lock is taken between the rounds. */
#include "kernel.h"

enum { POINTS = 40000, ROUNDS = 300 };

static struct point {
	int x, y, z, w;
} point[POINTS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long rounds_done;

static void work(long id)
{
	long rounds = kernel_scaled(ROUNDS);

	for (long r = 0; r < rounds; r++) {
		for (long i = kernel_first(POINTS, id); i < kernel_last(POINTS, id);
		     i++) {
			struct point *p = &point[i];

			p->x++;
			p->y += p->x;
			p->z = p->y - p->w;
			p->w++;
		}
		pthread_mutex_lock(&lock);
		rounds_done++;
		pthread_mutex_unlock(&lock);
	}
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;

	kernel_open(argc, argv);
	kernel_run(work);
	for (int i = 0; i < POINTS; i++)
		sum += (unsigned)(point[i].z ^ point[i].y);
	return kernel_close(sum);
}
