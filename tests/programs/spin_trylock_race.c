/* SPDX-License-Identifier: MIT */
/* Trying to lock fails: that orders nothing. */
#include <pthread.h>
#include "invisible.h"

static invisible_step_t step;
int x;
static pthread_spinlock_t s;
static invisible_step_t tried;

static void *one(void *arg)
{
	pthread_spin_lock(&s);
	x = 1; // race: a
	pthread_spin_unlock(&s);
	pthread_spin_lock(&s);
	invisible_advance(&step);
	invisible_await(&tried, 1);
	pthread_spin_unlock(&s);
	invisible_advance(&step);
	return arg;
}

static void *two(void *arg)
{
	invisible_await(&step, 1);
	if (pthread_spin_trylock(&s) != 0)
		x = 2; // race: b
	invisible_advance(&tried);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE);
	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
