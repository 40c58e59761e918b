/* SPDX-License-Identifier: MIT */
/* A detached thread tells by a semaphore that it is done. */
#include <pthread.h>
#include <semaphore.h>

static sem_t s;
int x;

static void *child(void *arg)
{
	x = 1;
	sem_post(&s);
	return arg;
}

int main(void)
{
	pthread_t t;

	sem_init(&s, 0, 0);
	pthread_create(&t, NULL, child, NULL);
	pthread_detach(t);
	sem_wait(&s);
	x = 2;
	return 0;
}
