/* SPDX-License-Identifier: MIT */
/* A barrier on the stack is destroyed by the first thread that is past it, and its memory
 * used for the next one. */
#include <pthread.h>

int x[2];

static void meet(pthread_barrier_t *b, int *mine, int *other)
{
	*mine += 1;
	if (pthread_barrier_wait(b) == PTHREAD_BARRIER_SERIAL_THREAD) {
		*other += 1;
		pthread_barrier_destroy(b);
	}
}

static void *work(void *arg)
{
	meet(arg, &x[0], &x[1]);
	return arg;
}

int main(void)
{
	for (int i = 0; i < 20; i++) {
		pthread_barrier_t b;
		pthread_t t;

		pthread_barrier_init(&b, NULL, 2);
		pthread_create(&t, NULL, work, &b);
		meet(&b, &x[1], &x[0]);
		pthread_join(t, NULL);
	}
	return 0;
}
