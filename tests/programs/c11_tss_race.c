/* SPDX-License-Identifier: MIT */
/* A destructor of thread-specific storage still counts as the thread. */
#include <threads.h>
#include "invisible.h"

static invisible_step_t step;
static tss_t key;
int x;

static void destroy(void *value)
{
	*(int *)value = 1; // race: a
	invisible_advance(&step);
}

static int child(void *arg)
{
	(void)arg;
	return tss_set(key, &x);
}

int main(void)
{
	thrd_t t;

	tss_create(&key, destroy);
	thrd_create(&t, child, NULL);
	invisible_await(&step, 1);
	x = 2; // race: b
	thrd_join(t, NULL);
	return 0;
}
