/* SPDX-License-Identifier: MIT */
/* A detached thread has a mutex; the other writer does not ask for it. */
#include <threads.h>
#include "invisible.h"

static invisible_step_t step;
static mtx_t m;
int x;

static int child(void *arg)
{
	(void)arg;
	mtx_lock(&m);
	x = 1; // race: a
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
	x = 2; // race: b
	return 0;
}
