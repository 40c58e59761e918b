/* SPDX-License-Identifier: MIT */
/* Two copies of the data: readers use one while a writer changes the other, and it waits for
 * those who may still be in before it changes the first. */
#include <sched.h>
#include "threads.h"

static int copies[2];
static atomic_int side, era, inside[2];

static void reader(void)
{
	for (int i = 0; i < 200; i++) {
		int now = atomic_load(&era);
		atomic_fetch_add(&inside[now], 1);
		volatile int seen = copies[atomic_load(&side)];
		(void)seen;
		atomic_fetch_sub(&inside[now], 1);
	}
}

static void none_in(int of)
{
	while (atomic_load(&inside[of]))
		sched_yield();
}

static void writer(void)
{
	for (int i = 0; i < 50; i++) {
		int old = atomic_load(&side), now = atomic_load(&era);
		copies[!old]++;
		atomic_store(&side, !old);
		none_in(!now);
		atomic_store(&era, !now);
		none_in(now);
		copies[old]++;
	}
}

int main(void)
{
	run_threads(3, reader, reader, writer);
	return copies[0] != copies[1];
}
