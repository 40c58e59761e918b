/* SPDX-License-Identifier: MIT */
/* Who sends a signal, by the number of the system call, does not come after its handler. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "invisible.h"

static invisible_step_t step;
static long id;
int data, seen;

static void handler(int number)
{
	seen += data + number; // race: a
	invisible_advance(&step);
}

static void *child(void *arg)
{
	__atomic_store_n(&id, syscall(SYS_gettid), __ATOMIC_RELAXED);
	invisible_advance(&step);
	invisible_await(&step, 2);
	return arg;
}

int main(void)
{
	pthread_t t;

	signal(SIGUSR1, handler);
	pthread_create(&t, NULL, child, NULL);
	invisible_await(&step, 1);
	syscall(SYS_tgkill, (long)getpid(), __atomic_load_n(&id, __ATOMIC_RELAXED), (long)SIGUSR1);
	invisible_await(&step, 2);
	data = 3; // race: b
	pthread_join(t, NULL);
	return seen == 0;
}
