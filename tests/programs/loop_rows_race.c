/* SPDX-License-Identifier: MIT */
/* Loops with accesses to every element and, between these, to rows of three: the last cell
 * of the last row is another thread's, too. */
#include <pthread.h>
#include "invisible.h"

#define ROWS 200

long every[3 * ROWS], sums[3 * ROWS], row[3 * ROWS], factors[3 * ROWS];
static invisible_step_t step;

__attribute__((noinline)) static void sum(int rows)
{
	long all = 1;

	for (int i = 0; i < rows; i++) {
		for (int k = 0; k < 3; k++)
			all += row[3 * i + k]; // race: a
		all ^= every[i];
		for (int k = 0; k < 3; k++)
			all += factors[3 * i + k] * all;
		sums[i] = all;
	}
}

static void *work(void *arg)
{
	sum(ROWS);
	invisible_advance(&step);
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	invisible_await(&step, 1);
	row[3 * ROWS - 1] = 1; // race: b
	pthread_join(thread, NULL);
	return 0;
}
