/* SPDX-License-Identifier: MIT */
/* Threads are made while others set the user of the process, which the C library does in
 * each thread by a signal: none waits for the other for ever. */
#include <pthread.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 500 };
static int failed;

static void *set(void *arg)
{
	if (setuid(getuid()))
		__atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
	return arg;
}

int main(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_t t[THREADS];

		for (int k = 0; k < THREADS; k++)
			pthread_create(&t[k], NULL, set, NULL);
		for (int k = 0; k < THREADS; k++)
			pthread_join(t[k], NULL);
	}
	return failed;
}
