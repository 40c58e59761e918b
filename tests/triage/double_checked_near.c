// SPDX-License-Identifier: MIT
// pattern: lazy-init
// Checked once, and not again under the lock: two threads make two.
#include "pair.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int *instance;

static int *get(void)
{
	if (instance == NULL) {
		pthread_mutex_lock(&mutex);
		instance = calloc(1, sizeof *instance);
		pthread_mutex_unlock(&mutex);
	}
	return instance;
}

void first(void) { get(); }

void second(void) { get(); }
