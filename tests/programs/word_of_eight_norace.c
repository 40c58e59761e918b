/* SPDX-License-Identifier: MIT */
/* Eight threads write the eight bytes of one word, each its own. */
#include <pthread.h>
#include <stdint.h>
#include "invisible.h"

enum { BYTES = 8 };
static invisible_barrier_t start = INVISIBLE_BARRIER(BYTES);
union {
	uint64_t word;
	unsigned char bytes[BYTES];
} u;

static void *write_byte(void *number)
{
	uintptr_t i = (uintptr_t)number;

	invisible_barrier_wait(&start);
	u.bytes[i] = 1;
	return NULL;
}

int main(void)
{
	pthread_t t[BYTES];

	for (uintptr_t i = 0; i < BYTES; i++)
		pthread_create(&t[i], NULL, write_byte, (void *)i);
	for (int i = 0; i < BYTES; i++)
		pthread_join(t[i], NULL);
	return 0;
}
