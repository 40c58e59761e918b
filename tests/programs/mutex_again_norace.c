/* SPDX-License-Identifier: MIT */
// flags: -pthread
/* A thread takes the same mutex over and over, alone, and writes something of its own in
 * between; another comes after the last time. */
#include <pthread.h>
#include "invisible.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static invisible_step_t step;
static long data, own;

static void *other(void *unused)
{
	invisible_await(&step, 1);
	pthread_mutex_lock(&mutex);
	data++;
	pthread_mutex_unlock(&mutex);
	return unused;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, other, NULL);
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&mutex);
		data++;
		pthread_mutex_unlock(&mutex);
		own++;
	}
	invisible_advance(&step);
	pthread_join(thread, NULL);
	return data + own != 7;
}
