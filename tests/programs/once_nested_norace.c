/* SPDX-License-Identifier: MIT */
/* An initialiser that runs another one; callers of either come after what it did. */
#include <pthread.h>
#include "invisible.h"

static pthread_once_t outer = PTHREAD_ONCE_INIT, inner = PTHREAD_ONCE_INIT;
static invisible_step_t step;
int x, y;

static void set_inner(void)
{
	x = 1;
}

static void set_outer(void)
{
	pthread_once(&inner, set_inner);
	y = 1;
}

static void *one(void *arg)
{
	pthread_once(&outer, set_outer);
	invisible_advance(&step);
	return arg;
}

static void *two(void *arg)
{
	invisible_await(&step, 1);
	pthread_once(&inner, set_inner);
	x++;
	pthread_once(&outer, set_outer);
	y++;
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
