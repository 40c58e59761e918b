/* SPDX-License-Identifier: MIT */
/* The second write comes before the mutex is got. */
#include <threads.h>
#include <time.h>
#include "invisible.h"

static invisible_step_t step;
int x;
static mtx_t m;
static const struct timespec never = {1ll << 32, 0};

static int one(void *arg)
{
	(void)arg;
	mtx_timedlock(&m, &never);
	x = 1; // race: a
	mtx_unlock(&m);
	invisible_advance(&step);
	return 1;
}

static int two(void *arg)
{
	(void)arg;
	invisible_await(&step, 1);
	x = 2; // race: b
	mtx_timedlock(&m, &never);
	mtx_unlock(&m);
	return 2;
}

int main(void)
{
	thrd_t t[2];

	mtx_init(&m, mtx_timed);
	thrd_create(&t[0], one, NULL);
	thrd_create(&t[1], two, NULL);
	thrd_join(t[0], NULL);
	thrd_join(t[1], NULL);
	mtx_destroy(&m);
	return 0;
}
