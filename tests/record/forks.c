/* SPDX-License-Identifier: MIT */
/* A race, and then a child with threads of its own. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#include "invisible.h"

static invisible_barrier_t both = INVISIBLE_BARRIER(2);
int x;

static void *write_x(void *arg)
{
	if (arg) { x = 1; invisible_barrier_wait(&both); return arg; }
	invisible_barrier_wait(&both); x = 2;
	return arg;
}

static void pair(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, write_x, &x);
	pthread_create(&b, NULL, write_x, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}

int main(void)
{
	int status = 1;

	pair();
	if (fork() == 0) {
		pair();
		_exit(0);
	}
	wait(&status);
	return status;
}
