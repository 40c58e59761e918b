/* SPDX-License-Identifier: MIT */
/* A child whose parent has a thread waiting at a barrier does not have that thread, but its
 * arrival counts there as well. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_barrier_t b;
static int number; /* of the thread, to the kernel */

static void *wait_there(void *arg)
{
	__atomic_store_n(&number, (int)gettid(), __ATOMIC_RELEASE);
	pthread_barrier_wait(&b);
	return arg;
}

static int sleeps(int thread)
{
	char name[64], line[256] = "", *state = NULL;
	snprintf(name, sizeof name, "/proc/self/task/%d/stat", thread);
	FILE *in = fopen(name, "r");
	if (in && fgets(line, sizeof line, in))
		state = strrchr(line, ')');
	if (in)
		fclose(in);
	return state && strncmp(state, ") S", 3) == 0;
}

int main(void)
{
	pthread_t t;
	int thread, status = -1;

	pthread_barrier_init(&b, NULL, 2);
	pthread_create(&t, NULL, wait_there, NULL);
	while (!(thread = __atomic_load_n(&number, __ATOMIC_ACQUIRE)) || !sleeps(thread))
		;
	pid_t pid = fork();
	pthread_barrier_wait(&b);
	if (pid == 0)
		_exit(0);
	pthread_join(t, NULL);
	waitpid(pid, &status, 0);
	return status != 0;
}
