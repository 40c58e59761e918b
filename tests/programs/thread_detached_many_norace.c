/* SPDX-License-Identifier: MIT */
/* More detached threads one after the other than there are places in a clock; each
 * tells that it is done. */
#include <pthread.h>
#include <semaphore.h>

static sem_t done;
int x;

static void *child(void *arg)
{
	x++;
	sem_post(&done);
	return arg;
}

int main(void)
{
	pthread_attr_t a;

	sem_init(&done, 0, 0);
	pthread_attr_init(&a);
	pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
	for (int i = 0; i < 5000; i++) {
		pthread_t t;

		while (pthread_create(&t, &a, child, NULL) != 0)
			;
		sem_wait(&done);
	}
	return x == 5000 ? 0 : 1;
}
