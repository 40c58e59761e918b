/* SPDX-License-Identifier: MIT */
/* A loop over an array that finds the same in one element after the other, up to those
 * that another thread writes at the same time. */
#include <pthread.h>

enum { N = 512 };

static long a[N];

static void *upper(void *arg)
{
	for (int i = N / 2; i < N; i++)
		a[i] += 2;
	return arg;
}

static void *lower(void *arg)
{
	for (int i = 0; i < N / 2; i++)
		a[i] += 3;
	return arg;
}

static void *nothing(void *arg)
{
	return arg;
}

int main(void)
{
	pthread_t t[3];

	pthread_create(&t[2], NULL, nothing, NULL);
	for (int i = 0; i < N; i++)
		a[i] = i;
	pthread_create(&t[0], NULL, upper, NULL);
	pthread_create(&t[1], NULL, lower, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
