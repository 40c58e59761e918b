/* SPDX-License-Identifier: MIT */
/* The parent is watched after a vfork as before. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <sys/wait.h>
#include "invisible.h"

static invisible_step_t step;
static char *const command[] = {"true", NULL};
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
	pid_t pid = vfork();
	if (pid == 0) {
		execvp("true", command);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
	x = 2; // race: b
	pthread_join(t, NULL);
	return 0;
}
