/* SPDX-License-Identifier: MIT */
/* The child has a copy of what the other threads did: it cannot race with them. */
#include <pthread.h>
#include <sys/wait.h>
#include "invisible.h"

static invisible_step_t step;
int x;

static void *child(void *arg)
{
	x = 1;
	invisible_advance(&step);
	invisible_await(&step, 2);
	return arg;
}

int main(void)
{
	pthread_t t;
	int status;

	pthread_create(&t, NULL, child, NULL);
	invisible_await(&step, 1);
	pid_t pid = fork();
	if (pid == 0) {
		x++;
		_exit(x != 2);
	}
	waitpid(pid, &status, 0);
	invisible_advance(&step);
	pthread_join(t, NULL);
	return status != 0;
}
