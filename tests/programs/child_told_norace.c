/* SPDX-License-Identifier: MIT */
/* Who makes a child process comes before who is told of its end. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#include "invisible.h"

static invisible_step_t step;
int info;

static void *waits(void *arg)
{
	int status = 1;

	invisible_await(&step, 1);
	return wait(&status) > 0 && info == 7 && !status ? NULL : arg;
}

int main(void)
{
	pthread_t t;
	void *wrong = NULL;

	pthread_create(&t, NULL, waits, &t);
	info = 7;
	if (fork() == 0)
		_exit(0);
	invisible_advance(&step);
	pthread_join(t, &wrong);
	return wrong != NULL;
}
