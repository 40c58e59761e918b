/* SPDX-License-Identifier: MIT */
/* A handler forks, wherever it came. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MANY = 20 };
static volatile sig_atomic_t runs, wrong;

static void handler(int number)
{
	int status;

	(void)number;
	if (runs == MANY)
		return;
	pid_t pid = runs % 2 ? fork() : _Fork();
	if (pid == 0)
		_exit(7);
	waitpid(pid, &status, 0);
	wrong |= !WIFEXITED(status) || WEXITSTATUS(status) != 7;
	runs++;
}

int main(void)
{
	struct itimerval every = {{0, 1000}, {0, 1000}}, never = {0};

	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &every, NULL);
	while (runs < MANY) {
		void *volatile p = malloc(64);
		free(p);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	return wrong;
}
