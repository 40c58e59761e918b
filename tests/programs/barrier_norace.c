/* SPDX-License-Identifier: MIT */
/* Who is past a barrier comes after what the others did before it. */
#include <pthread.h>

int x;
static pthread_barrier_t b;

static void *one(void *arg)
{
	x = 1;
	pthread_barrier_wait(&b);
	return arg;
}

static void *two(void *arg)
{
	pthread_barrier_wait(&b);
	x = 2;
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_barrier_init(&b, NULL, 2);
	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	pthread_barrier_destroy(&b);
	return 0;
}
