/* SPDX-License-Identifier: MIT */
/* The parent is watched after the fork as before. */
#include <pthread.h>
#include <sys/wait.h>
#include "invisible.h"

static invisible_step_t step;
int x;

static void *child(void *arg)
{
	x = 1; // race: a
	invisible_advance(&step);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, child, NULL);
	invisible_await(&step, 1);
	pid_t pid = fork();
	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	x = 2; // race: b
	pthread_join(t, NULL);
	return 0;
}
