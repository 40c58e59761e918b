/* SPDX-License-Identifier: MIT */
// flags: -pthread
/* A thread takes the same lock for reading over and over, beside other readers. A writer
 * that comes after the third time knows what was read until then, and not what is read the
 * fourth time. */
#include <pthread.h>
#include "invisible.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static invisible_step_t step;
static long data, sum;

static void *other(void *unused)
{
	invisible_await(&step, 1);
	pthread_rwlock_wrlock(&lock);
	pthread_rwlock_unlock(&lock);
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
		pthread_rwlock_rdlock(&lock);
		sum += data; // race: a
		pthread_rwlock_unlock(&lock);
	}
	invisible_advance(&step);
	pthread_join(thread, NULL);
	return sum != 0;
}
