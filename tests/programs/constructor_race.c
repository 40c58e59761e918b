/* SPDX-License-Identifier: MIT */
/* A race in a constructor, before main(). */
#include <pthread.h>
#include "invisible.h"

static invisible_step_t step;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_t t;
int x;

static void *child(void *arg)
{
	pthread_mutex_lock(&m);
	x++; // race: a
	pthread_mutex_unlock(&m);
	invisible_advance(&step);
	return arg;
}

__attribute__((constructor(102))) static void before_main(void)
{
	pthread_create(&t, NULL, child, NULL);
	invisible_await(&step, 1);
	x++; // race: b
}

int main(void)
{
	pthread_join(t, NULL);
	return 0;
}
