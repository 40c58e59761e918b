/* SPDX-License-Identifier: MIT */
/* Children by clone(): with a copy of the memory; with the same while the parent waits;
 * with the same beside the parent. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 256 << 10 };
static volatile int calls;

static __attribute__((noinline)) int deep(int depth)
{
	void *volatile p = malloc(100);

	free(p);
	calls++;
	return depth ? deep(depth - 1) + 1 : 0;
}

static int child(void *arg)
{
	(void)arg;
	return deep(100);
}

static int leaver(void *arg)
{
	(void)arg;
	_exit(deep(100));
}

static int try(int flags, int (*f)(void *))
{
	char *stack = malloc(SIZE);
	int status;
	pid_t pid = clone(f, stack + SIZE, flags | SIGCHLD, NULL);

	deep(1000);
	waitpid(pid, &status, 0);
	free(stack);
	return pid < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 100;
}

int main(void)
{
	int wrong = 0;

	for (int i = 0; i < 10; i++) {
		wrong |= try(0, child) | try(0, leaver);
		wrong |= try(CLONE_VM | CLONE_VFORK, child) | try(CLONE_VM | CLONE_VFORK, leaver);
		wrong |= try(CLONE_VM, child);
	}
	return wrong;
}
