/* SPDX-License-Identifier: MIT */
/* A race in the child is the child's: it is reported, and its status says so. */
// output: 66
// status: 0
#include <pthread.h>
#include <stdio.h>
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

static void race(void)
{
	pthread_t t;

	pthread_create(&t, NULL, child, NULL);
	invisible_await(&step, 1);
	x = 2; // race: b
	pthread_join(t, NULL);
}

int main(void)
{
	int status;

	pid_t pid = fork();
	if (pid == 0) {
		race();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	printf("%d\n", WEXITSTATUS(status));
	return 0;
}
