/* SPDX-License-Identifier: MIT */
/* A store of four bytes over the end of a granule, in a function that is nothing else, where
 * the halves of the granules have been written by two threads in turn. */
#include <pthread.h>
#include <stdint.h>
#include "invisible.h"

enum { ROUNDS = 4 };

struct __attribute__((packed)) packed {
	uint8_t head[6];
	uint32_t value;
};

static _Alignas(16) union {
	struct packed packed;
	uint32_t half[4];
	uint16_t pair[8];
} data;
static invisible_step_t step;
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) void set_half(uint32_t *at, uint32_t value)
{
	*at = value;
}

__attribute__((noinline)) void set_value(struct packed *at, uint32_t value)
{
	at->value = value; // race: a
}

/* A time frame of its own for each. */
static void end_frame(pthread_mutex_t *lock)
{
	pthread_mutex_lock(lock);
	pthread_mutex_unlock(lock);
}

static void *work(void *arg)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		invisible_await(&step, 2 * i);
		set_half(&data.half[1], i);
		end_frame(&one);
		invisible_advance(&step);
	}
	set_half(&data.half[1], 1);
	set_value(&data.packed, 2);
	invisible_advance(&step);
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	for (unsigned i = 0; i < ROUNDS; i++) {
		invisible_await(&step, 2 * i + 1);
		data.half[0] = i;
		end_frame(&other);
		invisible_advance(&step);
	}
	invisible_await(&step, 2 * ROUNDS + 1);
	data.pair[4] = 3; // race: b
	pthread_join(thread, NULL);
	return 0;
}
