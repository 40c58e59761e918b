/* SPDX-License-Identifier: MIT */
/* A writer comes after all readers, not the last one alone. */
#include <pthread.h>
#include "invisible.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static invisible_step_t step;
int x, seen[2];

static void *reader(void *arg)
{
	int me = *(int *)arg;

	invisible_await(&step, me);
	pthread_rwlock_rdlock(&l);
	seen[me] = x;
	pthread_rwlock_unlock(&l);
	invisible_advance(&step);
	return arg;
}

static void *writer(void *arg)
{
	invisible_await(&step, 2);
	pthread_rwlock_wrlock(&l);
	x = seen[0] + seen[1];
	pthread_rwlock_unlock(&l);
	return arg;
}

int main(void)
{
	static int number[2] = {0, 1};
	pthread_t t[3];

	pthread_create(&t[0], NULL, reader, &number[0]);
	pthread_create(&t[1], NULL, reader, &number[1]);
	pthread_create(&t[2], NULL, writer, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
