/* SPDX-License-Identifier: MIT */
/* A plain read through a cast pointer that is not aligned is no atomic one. */
#include <pthread.h>
#include <stdint.h>
#include "invisible.h"

static invisible_step_t step;
char bytes[16] __attribute__((aligned(16)));

__attribute__((noinline)) static uint32_t get(const char *p)
{
	return *(const uint32_t *)(const void *)p; // race: a
}

static void *child(void *arg)
{
	uint32_t sum = get(bytes + 5);

	invisible_advance(&step);
	return sum == 7 ? NULL : arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, child, NULL);
	invisible_await(&step, 1);
	__atomic_store_n(bytes + 5, 1, __ATOMIC_RELAXED); // race: b
	pthread_join(t, NULL);
	return 0;
}
