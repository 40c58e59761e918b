/* SPDX-License-Identifier: MIT */
/* A named semaphore, opened twice, is one semaphore. */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>
#include "invisible.h"

static invisible_step_t step;
int x;
static sem_t *s, *again;

static void *one(void *arg)
{
	x = 1;
	sem_post(s);
	invisible_advance(&step);
	return arg;
}

static void *two(void *arg)
{
	invisible_await(&step, 1);
	sem_wait(again);
	x = 2;
	return arg;
}

int main(void)
{
	pthread_t t[2];
	char name[64];

	snprintf(name, sizeof name, "/deadheat-test-%d", (int)getpid());
	s = sem_open(name, O_CREAT, 0600, 0);
	again = sem_open(name, 0);
	sem_unlink(name);
	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
