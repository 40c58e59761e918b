/* SPDX-License-Identifier: MIT */
/* All callers come after the initialiser, whoever ran it. */
#include <threads.h>
#include "invisible.h"

static invisible_step_t step;
int x;
static once_flag once = ONCE_FLAG_INIT;

static void set(void)
{
	x = 1;
}

static int one(void *arg)
{
	(void)arg;
	call_once(&once, set);
	invisible_advance(&step);
	return 1;
}

static int two(void *arg)
{
	(void)arg;
	invisible_await(&step, 1);
	call_once(&once, set);
	x++;
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
