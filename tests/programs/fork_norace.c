/* SPDX-License-Identifier: MIT */
/* A child, and its child, work with threads, locks and memory like any process. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int x;

static void *add(void *arg)
{
	for (int i = 0; i < 1000; i++) {
		pthread_mutex_lock(&mutex);
		x++;
		pthread_mutex_unlock(&mutex);
		free(malloc(100));
	}
	return arg;
}

static void work(void)
{
	pthread_t t;

	pthread_create(&t, NULL, add, NULL);
	add(NULL);
	pthread_join(t, NULL);
}

static int generation(int left)
{
	int status = 0;

	work();
	if (left == 0)
		return x != 6000;
	pid_t pid = fork();
	if (pid == 0)
		_exit(generation(left - 1));
	waitpid(pid, &status, 0);
	return status;
}

int main(void)
{
	return generation(2) != 0;
}
