/* SPDX-License-Identifier: MIT */
/* What is released through one byte of a word does not come before who reads another one. */
#include <stdint.h>
#include "invisible.h"
#include "threads.h"

static invisible_step_t step;
static uint8_t flag[4] __attribute__((aligned(4)));
int data;

static void one(void)
{
	data = 1; // race: a
	__atomic_store_n(&flag[1], 1, __ATOMIC_RELEASE);
	invisible_advance(&step);
}

static void two(void)
{
	__atomic_store_n(&flag[2], 1, __ATOMIC_RELEASE);
	invisible_await(&step, 1);
	if (__atomic_load_n(&flag[2], __ATOMIC_ACQUIRE))
		data = 2; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
