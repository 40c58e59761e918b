// SPDX-License-Identifier: MIT
// pattern: double-checked-locking
#include "pair.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int *instance;

static int *get(void)
{
	if (instance == NULL) {
		pthread_mutex_lock(&mutex);
		if (instance == NULL)
			instance = calloc(1, sizeof *instance);
		pthread_mutex_unlock(&mutex);
	}
	return instance;
}

void first(void) { get(); }

void second(void) { get(); }
