/* SPDX-License-Identifier: MIT */
/* The memory of a mutex is freed while nothing says that the other thread is done
 * with it. */
#include <stdlib.h>
#include "threads.h"

static invisible_step_t step;
static pthread_mutex_t *m;

static void one(void)
{
	pthread_mutex_lock(m); // race: a
	pthread_mutex_unlock(m);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	free(m); // race: b
}

int main(void)
{
	m = malloc(sizeof *m);
	*m = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	run_threads(2, one, two);
	return 0;
}
