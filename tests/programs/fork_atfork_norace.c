/* SPDX-License-Identifier: MIT */
/* Handlers around a fork may do what they like. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *kept;
int before, parent, child;

static void prepare(void)
{
	pthread_mutex_lock(&mutex);
	kept = malloc(1000);
	before++;
}

static void in_parent(void)
{
	free(kept);
	pthread_mutex_unlock(&mutex);
	parent++;
}

static void in_child(void)
{
	free(kept);
	pthread_mutex_unlock(&mutex);
	child++;
}

__attribute__((constructor(102))) static void start(void)
{
	pthread_atfork(prepare, in_parent, in_child);
}

int main(void)
{
	int status;

	pthread_atfork(prepare, in_parent, NULL);
	pthread_mutex_unlock(&mutex);
	before = 0;
	pthread_mutexattr_t a;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&mutex, &a);
	pid_t pid = fork();
	if (pid == 0)
		_exit(before != 2 || child != 1);
	waitpid(pid, &status, 0);
	return status != 0 || before != 2 || parent != 2;
}
