/* SPDX-License-Identifier: MIT */
/* Each signal is answered before the next is sent: none is lost or waits for long, while
 * the thread allocates, locks, and accesses memory for the first time. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include "invisible.h"

enum { MANY = 2000 };
static invisible_step_t step;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t runs;

static void handler(int number)
{
	(void)number;
	runs++;
	invisible_advance(&step);
}

static void *child(void *arg)
{
	invisible_advance(&step);
	while (runs < MANY) {
		char *p = malloc(4096);
		pthread_mutex_lock(&mutex);
		for (int i = 0; i < 4096; i += 64)
			p[i] = 1;
		pthread_mutex_unlock(&mutex);
		free(p);
	}
	return arg;
}

int main(void)
{
	pthread_t t;

	signal(SIGUSR1, handler);
	pthread_create(&t, NULL, child, NULL);
	for (int i = 1; i <= MANY; i++) {
		invisible_await(&step, i);
		pthread_kill(t, SIGUSR1);
	}
	pthread_join(t, NULL);
	return 0;
}
