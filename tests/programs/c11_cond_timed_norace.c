/* SPDX-License-Identifier: MIT */
/* Who has waited comes after who told, by the mutex. */
#include <threads.h>
#include <time.h>
#include "invisible.h"

static mtx_t m;
static cnd_t c;
static invisible_step_t step;
int ready, x;
static const struct timespec never = {1ll << 32, 0};

static int tell(void *arg)
{
	(void)arg;
	x = 1;
	mtx_lock(&m);
	ready = 1;
	cnd_signal(&c);
	mtx_unlock(&m);
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
		cnd_timedwait(&c, &m, &never);
	mtx_unlock(&m);
	invisible_await(&step, 1);
	x = 2;
	thrd_join(t, NULL);
	return 0;
}
