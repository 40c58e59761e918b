// SPDX-License-Identifier: MIT
// pattern: missing-lock
// evidence: [0-9]+ of [0-9]+ accesses hold `table_lock`, the one in `second` did not
// What comes after the race tells which lock is the usual one: not the inner one here.
#include "pair.h"

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
int table;

static void put(int log)
{
	pthread_mutex_lock(&table_lock);
	if (log)
		pthread_mutex_lock(&log_lock);
	table = ordinal();
	if (log)
		pthread_mutex_unlock(&log_lock);
	pthread_mutex_unlock(&table_lock);
}

void first(void)
{
	put(1);
}

void second(void)
{
	table = ordinal();
	for (int i = 0; i < 20; i++)
		put(0);
}
