/* SPDX-License-Identifier: MIT */
/* Loops with accesses to every element and, between these, to rows of three. What lies
 * behind the elements that a loop reads and writes is another thread's. */
#include <pthread.h>

#define ROWS 200

long every[3 * ROWS], sums[3 * ROWS], row[3 * ROWS], factors[3 * ROWS];

__attribute__((noinline)) static void sum(int rows)
{
	long all = 1;

	for (int i = 0; i < rows; i++) {
		for (int k = 0; k < 3; k++)
			all += row[3 * i + k];
		all ^= every[i];
		for (int k = 0; k < 3; k++)
			all += factors[3 * i + k] * all;
		sums[i] = all;
	}
}

static void *work(void *arg)
{
	sum(ROWS);
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	for (int i = ROWS; i < 3 * ROWS; i++)
		every[i] = sums[i] = i;
	pthread_join(thread, NULL);
	return sums[ROWS] != ROWS;
}
