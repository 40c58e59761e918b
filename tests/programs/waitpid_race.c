/* SPDX-License-Identifier: MIT */
/* The status of a child is written. */
#include <sys/wait.h>
#include <unistd.h>
#include "threads.h"

static int status;
static pid_t child;
static invisible_step_t step;

static void one(void)
{
	status = 1; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	waitpid(child, &status, 0); // race: b
}

int main(void)
{
	child = fork();
	if (!child)
		_exit(0);
	run_threads(2, one, two);
	return 0;
}
