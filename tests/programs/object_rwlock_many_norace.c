/* SPDX-License-Identifier: MIT */
/* Many readers and writers of one lock, which the main thread makes and destroys. */
#include "threads.h"

static pthread_rwlock_t l;
static int x, seen[2];

static void look(int *at)
{
	for (int i = 0; i < 100; i++) {
		pthread_rwlock_rdlock(&l);
		*at = x;
		pthread_rwlock_unlock(&l);
	}
}

static void one(void)
{
	look(&seen[0]);
}

static void two(void)
{
	look(&seen[1]);
}

static void change(void)
{
	for (int i = 0; i < 100; i++) {
		pthread_rwlock_wrlock(&l);
		x++;
		pthread_rwlock_unlock(&l);
	}
}

int main(void)
{
	pthread_rwlock_init(&l, NULL);
	run_threads(3, one, two, change);
	pthread_rwlock_destroy(&l);
	return 0;
}
