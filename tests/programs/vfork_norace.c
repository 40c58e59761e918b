/* SPDX-License-Identifier: MIT */
/* A vfork child works in its parent's memory, and leaves without unwinding. */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int error;
static char *const command[] = {"nothing", NULL};

static void handler(int number)
{
	(void)number;
}

static __attribute__((noinline)) int deep(int depth)
{
	if (depth > 0)
		return deep(depth - 1) + 1;
	signal(SIGUSR1, SIG_DFL);
	execv("/does/not/exist", command);
	error = errno;
	_exit(7);
}

int main(void)
{
	int wrong = 0, status;

	signal(SIGUSR1, handler);
	for (int i = 0; i < 200; i++) {
		error = 0;
		pid_t pid = vfork();
		if (pid == 0)
			deep(i);
		waitpid(pid, &status, 0);
		wrong |= pid < 0 || WEXITSTATUS(status) != 7 || error != ENOENT;
	}
	wrong |= signal(SIGUSR1, SIG_IGN) != handler;
	return wrong;
}
