/* SPDX-License-Identifier: MIT */
/* Threads that signal one condition at the same time, without its mutex, do not race. */
#include "threads.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c;
static atomic_int ready;

static void signal_it(void)
{
	for (int i = 0; i < 100; i++)
		pthread_cond_broadcast(&c);
	atomic_store(&ready, 1);
	pthread_cond_signal(&c);
}

static void wait_for_it(void)
{
	pthread_mutex_lock(&m);
	while (!atomic_load(&ready)) {
		pthread_mutex_unlock(&m);
		pthread_cond_signal(&c);
		pthread_mutex_lock(&m);
	}
	pthread_mutex_unlock(&m);
}

int main(void)
{
	pthread_cond_init(&c, NULL);
	run_threads(4, signal_it, signal_it, wait_for_it, wait_for_it);
	pthread_cond_destroy(&c);
	return 0;
}
