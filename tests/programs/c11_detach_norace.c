/* SPDX-License-Identifier: MIT */
/* A detached thread, and a mutex. */
#include <threads.h>
#include "invisible.h"

static invisible_step_t step;
static mtx_t m;
int x;

static int child(void *arg)
{
	(void)arg;
	mtx_lock(&m);
	x = 1;
	mtx_unlock(&m);
	invisible_advance(&step);
	thrd_exit(0);
}

int main(void)
{
	thrd_t t;

	mtx_init(&m, mtx_plain);
	thrd_create(&t, child, NULL);
	thrd_detach(t);
	invisible_await(&step, 1);
	mtx_lock(&m);
	x = 2;
	mtx_unlock(&m);
	return 0;
}
