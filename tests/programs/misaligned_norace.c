/* SPDX-License-Identifier: MIT */
/* Accesses through cast pointers that are not aligned, as x86 allows: what they touch is what
 * they touch, also in the next eight bytes. And a thread does not race with itself. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include "invisible.h"

static invisible_step_t step;
char bytes[32] __attribute__((aligned(32)));
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static uint64_t get(const char *p, int size)
{
	return size == 2 ? *(const uint16_t *)(const void *)p
	     : size == 4 ? *(const uint32_t *)(const void *)p
			 : *(const uint64_t *)(const void *)p;
}

static void *child(void *arg)
{
	bytes[0] = bytes[3] = 1;
	bytes[12] = bytes[15] = bytes[19] = 1;
	invisible_advance(&step);
	return arg;
}

int main(void)
{
	uint64_t sum = 0;
	pthread_t t;

	pthread_create(&t, NULL, child, NULL);
	invisible_await(&step, 1);
	for (int i = 0; i < 3; i++)
		sum += get(bytes + 4, 8) + get(bytes + 1, 2) + get(bytes + 5, 4) +
		       get(bytes + 16, 2) + get(bytes + 23, 8);
	for (int i = 0; i < 64; i++) {
		char *block = calloc(1, 64);

		sum += get(block + i % 48 + 7, 4) + get(block + i % 48 + 3, 8) +
		       get(block + i % 48 + 7, 2);
		free(block);
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
	pthread_join(t, NULL);
	return sum == 1;
}
