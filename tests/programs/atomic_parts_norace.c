/* SPDX-License-Identifier: MIT */
/* Atomic operations of different sizes that share bytes and begin at different ones: a lock
 * that is taken as one number and given back as its upper half; flags of a byte each that are
 * read as one word; and a word of which one byte is read. */
#include <sched.h>
#include <stdint.h>
#include "threads.h"

static union {
	uint32_t all;
	struct {
		uint16_t next, owner;
	} part;
} lock;
static union {
	uint32_t all;
	uint8_t flag[4];
} flags, word;
int count, data[2], seen;

static void take(void)
{
	uint32_t got = __atomic_fetch_add(&lock.all, 1, __ATOMIC_ACQUIRE);

	if (got >> 16 != (uint16_t)got)
		while (__atomic_load_n(&lock.part.owner, __ATOMIC_ACQUIRE) != (uint16_t)got)
			sched_yield();
	count++;
	__atomic_store_n(&lock.part.owner, (uint16_t)(got + 1), __ATOMIC_RELEASE);
}

static void one(void)
{
	for (int i = 0; i < 100; i++)
		take();
	data[0] = 1;
	__atomic_store_n(&flags.flag[1], 1, __ATOMIC_RELEASE);
	data[1] = 1;
	__atomic_store_n(&word.all, 0x01010101, __ATOMIC_RELEASE);
}

static void two(void)
{
	for (int i = 0; i < 100; i++)
		take();
	while (!__atomic_load_n(&flags.all, __ATOMIC_ACQUIRE))
		sched_yield();
	seen += data[0];
	while (!__atomic_load_n(&word.flag[2], __ATOMIC_ACQUIRE))
		sched_yield();
	seen += data[1];
}

int main(void)
{
	run_threads(2, one, two);
	return seen != 2 || count != 200;
}
