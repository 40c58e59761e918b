/* SPDX-License-Identifier: MIT */
/* The write of who told comes after the mutex was unlocked. */
#include <threads.h>
#include "invisible.h"

static mtx_t m;
static cnd_t c;
static invisible_step_t step;
int ready, x;

static int tell(void *arg)
{
	(void)arg;
	mtx_lock(&m);
	ready = 1;
	cnd_signal(&c);
	mtx_unlock(&m);
	x = 1; // race: a
	invisible_advance(&step);
	return 0;
}

int main(void)
{
	thrd_t t;

	mtx_init(&m, mtx_timed);
	cnd_init(&c);
	mtx_lock(&m);
	thrd_create(&t, tell, NULL);
	while (!ready)
		cnd_wait(&c, &m);
	mtx_unlock(&m);
	invisible_await(&step, 1);
	x = 2; // race: b
	thrd_join(t, NULL);
	return 0;
}
