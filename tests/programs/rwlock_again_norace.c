/* SPDX-License-Identifier: MIT */
// flags: -pthread
/* Two threads take the same lock for reading over and over; a writer comes after both. */
#include <pthread.h>
#include "invisible.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static invisible_step_t step;
static long data;

static long read_often(void)
{
	long sum = 0;
	for (int i = 0; i < 4; i++) {
		pthread_rwlock_rdlock(&lock);
		sum += data;
		pthread_rwlock_unlock(&lock);
	}
	return sum;
}

static void *other(void *unused)
{
	read_often();
	invisible_advance(&step);
	return unused;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, other, NULL);
	long sum = read_often();
	invisible_await(&step, 1);
	pthread_rwlock_wrlock(&lock);
	data++;
	pthread_rwlock_unlock(&lock);
	sum += read_often();
	pthread_join(thread, NULL);
	return sum != 4;
}
