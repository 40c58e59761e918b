/* SPDX-License-Identifier: MIT */
/* A destructor of thread-specific data still counts as the thread. */
#include <pthread.h>
#include "invisible.h"

static invisible_step_t step;
int x;
static pthread_key_t key;

static void destroy(void *value)
{
	*(int *)value = 1; // race: a
	invisible_advance(&step);
}

static void *child(void *arg)
{
	pthread_setspecific(key, &x);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_key_create(&key, destroy);
	pthread_create(&t, NULL, child, NULL);
	invisible_await(&step, 1);
	x = 2; // race: b
	pthread_join(t, NULL);
	return 0;
}
