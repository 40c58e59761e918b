/* SPDX-License-Identifier: MIT */
/* The counter of a loop steps over its bound and over zero, and goes on from there. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include "invisible.h"

enum { STEP = 200 };

static invisible_step_t step;
static unsigned char *bytes;
static uint32_t begin, end;

__attribute__((noinline)) static void fill(unsigned char *at, uint32_t i, uint32_t stop)
{
	for (; i < stop; i += STEP)
		*at++ = 1; // race: a
}

static void *work(void *arg)
{
	fill(bytes, begin, end);
	invisible_advance(&step);
	return arg;
}

int main(void)
{
	pthread_t thread;
	uint32_t rounds = 0;

	end = UINT32_MAX - 127;
	begin = UINT32_MAX - 255 - 21 * STEP + STEP / 2;
	for (uint32_t i = begin; i < end; i += STEP)
		rounds++;
	bytes = malloc(rounds + 1);
	pthread_create(&thread, NULL, work, NULL);
	invisible_await(&step, 1);
	bytes[rounds - 1] = 2; // race: b
	pthread_join(thread, NULL);
	return 0;
}
