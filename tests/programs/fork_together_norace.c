/* SPDX-License-Identifier: MIT */
/* Several threads fork at the same time. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, CHILDREN = 40 };

static void *nothing(void *arg)
{
	free(malloc(100));
	return arg;
}

static void *forker(void *arg)
{
	for (int i = 0; i < CHILDREN; i++) {
		pthread_t t;
		int status;
		pid_t pid = fork();

		if (pid == 0) {
			pthread_create(&t, NULL, nothing, NULL);
			pthread_join(t, NULL);
			syscall(SYS_exit_group, 7);
		}
		waitpid(pid, &status, 0);
		if (!WIFEXITED(status) || WEXITSTATUS(status) != 7)
			return NULL;
	}
	return arg;
}

int main(void)
{
	pthread_t t[THREADS];
	void *good;
	int wrong = 0;

	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, forker, t);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(t[i], &good);
		wrong |= !good;
	}
	return wrong;
}
