/* SPDX-License-Identifier: MIT */
/* A mutex that one thread makes and another locks, with an atomic variable to say
 * that it is there. */
#include "threads.h"

static pthread_mutex_t m;
static atomic_int there;
int x;

static void one(void)
{
	pthread_mutex_init(&m, NULL);
	atomic_store_explicit(&there, 1, memory_order_release);
	pthread_mutex_lock(&m);
	x++;
	pthread_mutex_unlock(&m);
}

static void two(void)
{
	while (!atomic_load_explicit(&there, memory_order_acquire))
		;
	pthread_mutex_lock(&m);
	x++;
	pthread_mutex_unlock(&m);
}

int main(void)
{
	run_threads(3, one, two, two);
	pthread_mutex_destroy(&m);
	return 0;
}
