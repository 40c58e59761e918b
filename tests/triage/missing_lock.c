// SPDX-License-Identifier: MIT
// pattern: missing-lock
#include "pair.h"

static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
int cache;

void first(void)
{
	pthread_mutex_lock(&cache_lock);
	cache = ordinal();
	pthread_mutex_unlock(&cache_lock);
}

void second(void)
{
	cache = ordinal();
}
