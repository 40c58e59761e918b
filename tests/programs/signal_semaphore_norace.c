/* SPDX-License-Identifier: MIT */
/* A handler that posts a semaphore comes before who waited for it. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

static sem_t sem;
int x;

static void handler(int number)
{
	(void)number;
	x++;
	sem_post(&sem);
}

static void *child(void *arg)
{
	sigset_t none;

	sigemptyset(&none);
	sigsuspend(&none);
	return arg;
}

int main(void)
{
	sigset_t set;
	pthread_t t;

	sem_init(&sem, 0, 0);
	signal(SIGUSR1, handler);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&t, NULL, child, NULL);
	pthread_kill(t, SIGUSR1);
	while (sem_wait(&sem) != 0)
		;
	x++;
	pthread_join(t, NULL);
	return x != 2;
}
