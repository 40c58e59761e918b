/* SPDX-License-Identifier: MIT */
/* Two threads write, and nothing orders them. */
#include <threads.h>
#include "invisible.h"

static invisible_step_t step;
int x;

static int one(void *arg)
{
	(void)arg;
	x = 1; // race: a
	invisible_advance(&step);
	return 1;
}

static int two(void *arg)
{
	(void)arg;
	invisible_await(&step, 1);
	x = 2; // race: b
	return 2;
}

int main(void)
{
	thrd_t t[2];

	thrd_create(&t[0], one, NULL);
	thrd_create(&t[1], two, NULL);
	thrd_join(t[0], NULL);
	thrd_join(t[1], NULL);
	return 0;
}
