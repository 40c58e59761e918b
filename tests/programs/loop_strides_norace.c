/* SPDX-License-Identifier: MIT */
/* A loop that reads an array as elements of two sizes, at two distances that begin in the
 * same eight bytes: of the nearer ones it reads the first half of the array only. */
#include <pthread.h>
#include <stdint.h>
#include "invisible.h"

enum { N = 64 };

typedef int32_t __attribute__((may_alias)) int_t;
typedef int16_t __attribute__((may_alias)) short_t;

static invisible_step_t step;
static _Alignas(64) char a[N * 8];
static long sum;

static __attribute__((noinline)) long both(const char *p, long n)
{
	long all = 0;
	for (long i = 0; i < n; i++) {
		all += ((const int_t *)p)[2 * i];
		all += ((const short_t *)p)[2 * i];
	}
	return all;
}

static void *reader(void *arg)
{
	sum = both(a, N);
	invisible_advance(&step);
	return arg;
}

static void *writer(void *arg)
{
	invisible_await(&step, 1);
	for (int i = N / 2; i < N; i++)
		((volatile int_t *)a)[2 * i + 1] = i;
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, reader, NULL);
	pthread_create(&t[1], NULL, writer, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return sum != 0;
}
