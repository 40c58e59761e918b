/* SPDX-License-Identifier: MIT */
/* A store that is not aligned, in a function that is nothing else: it begins in a granule
 * that the thread has written whole, and its end is in the next. */
#include <pthread.h>
#include <stdint.h>
#include "invisible.h"

struct __attribute__((packed)) packed {
	uint32_t head;
	uint64_t value;
	uint32_t tail;
};

static _Alignas(16) union {
	struct packed packed;
	uint64_t word[2];
	uint32_t half[4];
} data;
static invisible_step_t step;

__attribute__((noinline)) void set_word(uint64_t *at, uint64_t value)
{
	*at = value;
}

__attribute__((noinline)) void set_value(struct packed *at, uint64_t value)
{
	at->value = value; // race: a
}

static void *work(void *arg)
{
	set_word(&data.word[0], 1);
	set_value(&data.packed, 2);
	invisible_advance(&step);
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	invisible_await(&step, 1);
	data.half[2] = 3; // race: b
	pthread_join(thread, NULL);
	return 0;
}
