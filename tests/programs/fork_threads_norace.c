/* SPDX-License-Identifier: MIT */
/* Children of a process whose threads are busy in every part of the runtime: none hangs,
 * though the others are gone in the middle of what they were doing. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3, CHILDREN = 300, SLOTS = 512 };
static pthread_mutex_t mutexes[SLOTS];
static char shared[SLOTS];
static volatile int over;

static void use(unsigned i)
{
	char *p = malloc(64 + i % 5000);

	pthread_mutex_lock(&mutexes[i % SLOTS]);
	shared[i % SLOTS] += p[0] = 1;
	pthread_mutex_unlock(&mutexes[i % SLOTS]);
	free(p);
}

static void *nothing(void *arg)
{
	return arg;
}

static void *busy(void *arg)
{
	for (unsigned i = (unsigned)(size_t)arg; !__atomic_load_n(&over, __ATOMIC_ACQUIRE);) {
		pthread_t t;
		use(i += 7);
		if (i % 64 == 0 && pthread_create(&t, NULL, nothing, NULL) == 0)
			pthread_join(t, NULL);
	}
	return arg;
}

static void child(void)
{
	pthread_t t;

	for (int i = 0; i < SLOTS; i++)
		pthread_mutex_init(&mutexes[i], NULL);
	for (unsigned i = 0; i < 2000; i++)
		use(i);
	pthread_create(&t, NULL, nothing, NULL);
	pthread_join(t, NULL);
	syscall(SYS_exit_group, 0); /* without a report of its own, which takes time */
}

int main(void)
{
	pthread_t t[THREADS];
	int wrong = 0;

	for (int i = 0; i < SLOTS; i++)
		pthread_mutex_init(&mutexes[i], NULL);
	for (size_t i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, busy, (void *)i);
	for (int i = 0; i < CHILDREN; i++) {
		pid_t pid = fork();
		if (pid == 0)
			child();
		int status = -1;
		if (waitpid(pid, &status, 0) == pid && status == 0)
			continue;
		printf("child %d of %d: process %d, status %#x\n", i, CHILDREN, (int)pid,
		       (unsigned)status);
		wrong = 1;
	}
	__atomic_store_n(&over, 1, __ATOMIC_RELEASE);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return wrong;
}
