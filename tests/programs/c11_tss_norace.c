/* SPDX-License-Identifier: MIT */
/* Who has joined a thread comes after its destructors of thread-specific storage. */
#include <threads.h>

static tss_t key;
int x;

static void destroy(void *value)
{
	*(int *)value = 1;
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
	thrd_join(t, NULL);
	x = 2;
	return 0;
}
