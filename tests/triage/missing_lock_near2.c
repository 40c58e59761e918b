// SPDX-License-Identifier: MIT
// pattern: none
// The reader holds a lock for something else that it reads.
#include "pair.h"

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
int now, list;

void first(void)
{
	now = ordinal();
}

void second(void)
{
	pthread_mutex_lock(&list_lock);
	list = now;
	pthread_mutex_unlock(&list_lock);
}
