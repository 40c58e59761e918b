/* SPDX-License-Identifier: MIT */
/* 64 threads at a time, each with the lock a number of times. */
#include <pthread.h>

#ifndef ROUNDS
#define ROUNDS 50
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
long sum;

static void *add(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&lock);
		sum++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(void)
{
	pthread_t t[64];

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 64; i++)
			pthread_create(&t[i], NULL, add, NULL);
		for (int i = 0; i < 64; i++)
			pthread_join(t[i], NULL);
	}
	return sum != 2 * 64 * ROUNDS;
}
