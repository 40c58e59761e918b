/* SPDX-License-Identifier: MIT */
// flags: -mcx16
/* Sixteen bytes: load, store, addition and compare-exchange. */
#include "threads.h"

__extension__ typedef unsigned __int128 wide;
static wide flag;
int data, seen;

static void one(void)
{
	wide expected = 1;

	data = 1;
	__atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
	__atomic_compare_exchange_n(&flag, &expected, (wide)1 << 100 | 1, 0, __ATOMIC_ACQ_REL,
				    __ATOMIC_RELAXED);
	__atomic_fetch_add(&flag, (wide)1 << 64, __ATOMIC_RELAXED);
}

static void two(void)
{
	while (__atomic_load_n(&flag, __ATOMIC_ACQUIRE) != (((wide)1 << 100 | 1) + ((wide)1 << 64)))
		;
	seen = data;
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
