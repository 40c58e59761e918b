// SPDX-License-Identifier: MIT
// pattern: none
// Most accesses do without a lock: there is no usual one.
#include "pair.h"

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
int table;

static void put(void)
{
	pthread_mutex_lock(&table_lock);
	table = ordinal();
	pthread_mutex_unlock(&table_lock);
}

void first(void)
{
	put();
}

void second(void)
{
	for (int i = 0; i < 10; i++) {
		table = ordinal();
		if (i % 3 == 2)
			put();
	}
}
