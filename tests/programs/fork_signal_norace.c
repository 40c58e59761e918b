/* SPDX-License-Identifier: MIT */
/* Signals to a child from its first moment on reach it, and not its parent's handlers. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t runs;
static pid_t parent;

static void handler(int number)
{
	(void)number;
	runs++;
	if (getpid() != parent)
		_exit(7);
}

int main(void)
{
	int wrong = 0, status;

	parent = getpid();
	signal(SIGUSR1, handler);
	for (int i = 0; i < 20; i++) {
		pid_t pid = fork();
		if (pid == 0)
			for (;;)
				free(malloc(10));
		kill(pid, SIGUSR1);
		waitpid(pid, &status, 0);
		wrong |= !WIFEXITED(status) || WEXITSTATUS(status) != 7;
	}
	return wrong || runs;
}
