/* SPDX-License-Identifier: MIT */
// flags: -pthread
/* A thread takes the same mutex over and over, alone. Who takes it after the third time
 * knows what was done until then, and not what is done the fourth time. */
#include <pthread.h>
#include "invisible.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static invisible_step_t step;
static long data, count;

static void *other(void *unused)
{
	invisible_await(&step, 1);
	pthread_mutex_lock(&mutex);
	count++;
	pthread_mutex_unlock(&mutex);
	invisible_advance(&step);
	invisible_await(&step, 3);
	data++; // race: b
	return unused;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, other, NULL);
	for (int i = 0; i < 4; i++) {
		if (i == 3) {
			invisible_advance(&step);
			invisible_await(&step, 2);
		}
		pthread_mutex_lock(&mutex);
		data++; // race: a
		pthread_mutex_unlock(&mutex);
	}
	invisible_advance(&step);
	pthread_join(thread, NULL);
	return 0;
}
