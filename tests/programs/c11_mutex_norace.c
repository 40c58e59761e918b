/* SPDX-License-Identifier: MIT */
/* Both writes are under one mutex. */
#include <threads.h>
#include "invisible.h"

static invisible_step_t step;
int x;
static mtx_t m;

static int one(void *arg)
{
	(void)arg;
	mtx_lock(&m);
	x = 1;
	mtx_unlock(&m);
	invisible_advance(&step);
	return 1;
}

static int two(void *arg)
{
	(void)arg;
	invisible_await(&step, 1);
	mtx_lock(&m);
	x = 2;
	mtx_unlock(&m);
	return 2;
}

int main(void)
{
	thrd_t t[2];

	mtx_init(&m, mtx_plain);
	thrd_create(&t[0], one, NULL);
	thrd_create(&t[1], two, NULL);
	thrd_join(t[0], NULL);
	thrd_join(t[1], NULL);
	mtx_destroy(&m);
	return 0;
}
