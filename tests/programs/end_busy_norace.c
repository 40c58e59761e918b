/* SPDX-License-Identifier: MIT */
/* main() returns while threads are busy in every way. */
#include <pthread.h>
#include <stdlib.h>
#include "invisible.h"

static invisible_step_t step;

static void *nothing(void *arg)
{
	return arg;
}

static void *child(void *arg)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	pthread_detach(pthread_self());
	for (unsigned i = 0;; i++) {
		pthread_t t;
		char *p = malloc(i % 5000 + 1);
		pthread_mutex_lock(&mutex);
		p[0] = 1;
		pthread_mutex_unlock(&mutex);
		free(p);
		if (i % 32 == 0 && pthread_create(&t, NULL, nothing, NULL) == 0)
			pthread_detach(t);
		if (i == 1000)
			invisible_advance(&step);
	}
	return arg;
}

int main(void)
{
	pthread_t t;

	for (int i = 0; i < 3; i++)
		pthread_create(&t, NULL, child, NULL);
	invisible_await(&step, 3);
	return 0;
}
