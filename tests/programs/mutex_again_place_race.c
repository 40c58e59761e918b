/* SPDX-License-Identifier: MIT */
// flags: -pthread
// message: mutex_again_place_race.c:22
/* A thread takes the mutex again at another place of the same function, and goes on in
 * its time frame: the report names the place where it was taken before the access. */
#include <pthread.h>
#include "invisible.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static invisible_step_t step;
static long before, data;

static void *other(void *unused)
{
	pthread_mutex_lock(&mutex);
	before++;
	pthread_mutex_unlock(&mutex);
	pthread_mutex_lock(&mutex);
	before++;
	pthread_mutex_unlock(&mutex);

	pthread_mutex_lock(&mutex);
	data++; // race: a
	pthread_mutex_unlock(&mutex);

	invisible_advance(&step);
	return unused;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, other, NULL);
	invisible_await(&step, 1);
	data++; // race: b
	pthread_join(thread, NULL);
	return 0;
}
