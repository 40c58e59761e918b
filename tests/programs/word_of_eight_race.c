/* SPDX-License-Identifier: MIT */
/* Eight threads write the eight bytes of one word, each its own; a ninth one of theirs. */
#include <pthread.h>
#include <stdint.h>
#include "invisible.h"

enum { BYTES = 8 };
static invisible_barrier_t start = INVISIBLE_BARRIER(BYTES);
static invisible_step_t step;
union {
	uint64_t word;
	unsigned char bytes[BYTES];
} u;

static void *write_byte(void *number)
{
	uintptr_t i = (uintptr_t)number;

	invisible_barrier_wait(&start);
	u.bytes[i] = 1; // race: a
	invisible_advance(&step);
	return NULL;
}

static void *write_fifth(void *number)
{
	invisible_await(&step, BYTES);
	u.bytes[5] = 9; // race: b
	return number;
}

int main(void)
{
	pthread_t t[BYTES + 1];

	for (uintptr_t i = 0; i < BYTES; i++)
		pthread_create(&t[i], NULL, write_byte, (void *)i);
	pthread_create(&t[BYTES], NULL, write_fifth, NULL);
	for (int i = 0; i < BYTES + 1; i++)
		pthread_join(t[i], NULL);
	return 0;
}
