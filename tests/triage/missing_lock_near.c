// SPDX-License-Identifier: MIT
// pattern: none
// Each has a lock, and it is not the same one: none of the two is the usual.
#include "pair.h"

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
int cache;

void first(void)
{
	pthread_mutex_lock(&one);
	cache = ordinal();
	pthread_mutex_unlock(&one);
}

void second(void)
{
	pthread_mutex_lock(&two);
	cache = ordinal();
	pthread_mutex_unlock(&two);
}
