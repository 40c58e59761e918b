/* SPDX-License-Identifier: MIT */
/* Who has made a child process goes on, and who is told of its end does not come after that. */
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
	return wait(&status) > 0 && info == 7 && !status ? NULL : arg; // race: a
}

int main(void)
{
	pthread_t t;
	void *wrong = NULL;

	pthread_create(&t, NULL, waits, &t);
	if (fork() == 0)
		_exit(0);
	info = 7; // race: b
	invisible_advance(&step);
	pthread_join(t, &wrong);
	return wrong != NULL;
}
