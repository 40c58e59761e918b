/* SPDX-License-Identifier: MIT */
/* A destructor that asks to be called again is watched in the later rounds too. */
#include <pthread.h>
#include "invisible.h"

static pthread_key_t key;
static invisible_step_t step;
int x, rounds;

static void destroy(void *value)
{
	if (++rounds < 3) {
		pthread_setspecific(key, value);
		return;
	}
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
