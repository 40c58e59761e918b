/* SPDX-License-Identifier: MIT */
/* Both writes are under one spin lock. */
#include <pthread.h>
#include "invisible.h"

static invisible_step_t step;
int x;
static pthread_spinlock_t s;

static void *one(void *arg)
{
	pthread_spin_lock(&s);
	x = 1;
	pthread_spin_unlock(&s);
	invisible_advance(&step);
	return arg;
}

static void *two(void *arg)
{
	invisible_await(&step, 1);
	pthread_spin_lock(&s);
	x = 2;
	pthread_spin_unlock(&s);
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
	pthread_spin_destroy(&s);
	return 0;
}
