/* SPDX-License-Identifier: MIT */
/* A thread a million calls deep races with main; half of the way back it does so again. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "../invisible.h"

enum { DEPTH = 1000000 };
static invisible_step_t step;
int x, y;

static __attribute__((noinline)) int deep(int depth)
{
	int r = 0;

	if (depth < DEPTH)
		r = deep(depth + 1) + 1;
	else
		x = 1;
	if (depth == DEPTH / 2)
		y = 1;
	return r;
}

static void *child(void *arg)
{
	int depth = deep(1);

	invisible_advance(&step);
	return depth == DEPTH - 1 ? arg : NULL;
}

int main(void)
{
	const size_t size = (size_t)1 << 30;
	pthread_attr_t a;
	pthread_t t;
	void *good;

	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, size);
	if (pthread_create(&t, &a, child, &t) != 0)
		return 2;
	invisible_await(&step, 1);
	x = 2;
	y = 2;
	pthread_join(t, &good);
	return !good;
}
