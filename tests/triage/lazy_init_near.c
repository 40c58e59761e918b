// SPDX-License-Identifier: MIT
// pattern: missing-lock
// The check is made under the lock; it is a reader elsewhere that goes without.
#include "pair.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int *table;

void first(void)
{
	pthread_mutex_lock(&mutex);
	if (!table)
		table = calloc(16, sizeof *table);
	pthread_mutex_unlock(&mutex);
}

void second(void)
{
	int *mine = table;
	use(mine);
}
