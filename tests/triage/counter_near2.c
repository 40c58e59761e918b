// SPDX-License-Identifier: MIT
// pattern: missing-lock
// Nothing is lost by who only looks at the count.
#include "pair.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int hits;

void first(void)
{
	pthread_mutex_lock(&mutex);
	hits++;
	pthread_mutex_unlock(&mutex);
}

void second(void)
{
	use(&hits);
}
