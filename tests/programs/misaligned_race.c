/* SPDX-License-Identifier: MIT */
/* An access through a cast pointer that is not aligned, as x86 allows, reaches into the next
 * eight bytes, where another thread writes. */
#include <pthread.h>
#include <stdint.h>
#include "invisible.h"

static invisible_step_t step;
char bytes[16] __attribute__((aligned(16)));

__attribute__((noinline)) static void put(char *p)
{
	*(uint64_t *)(void *)p = 1; // race: b
}

static void *child(void *arg)
{
	bytes[9] = 1; // race: a
	invisible_advance(&step);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, child, NULL);
	invisible_await(&step, 1);
	put(bytes + 4);
	pthread_join(t, NULL);
	return 0;
}
