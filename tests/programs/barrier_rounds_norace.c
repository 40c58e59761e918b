/* SPDX-License-Identifier: MIT */
/* Many rounds: in each, every thread works on what its neighbour had in the last. */
#include <pthread.h>

enum { THREADS = 4, ROUNDS = 100 };
static pthread_barrier_t b;
int cell[THREADS];

static void *work(void *arg)
{
	int me = *(int *)arg;

	for (int i = 0; i < ROUNDS; i++) {
		cell[(me + i) % THREADS]++;
		pthread_barrier_wait(&b);
	}
	return arg;
}

int main(void)
{
	pthread_t t[THREADS];
	int number[THREADS];

	pthread_barrier_init(&b, NULL, THREADS);
	for (int i = 0; i < THREADS; i++) {
		number[i] = i;
		pthread_create(&t[i], NULL, work, &number[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	pthread_barrier_destroy(&b);
	return 0;
}
