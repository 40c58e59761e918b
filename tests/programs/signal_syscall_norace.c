/* SPDX-License-Identifier: MIT */
/* Who sends a signal comes before its handler, also by system calls that are made by number. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "invisible.h"

static invisible_step_t step;
static long id;
int data, more, seen;

static void handler(int number)
{
	seen += number == SIGUSR1 ? data : more;
	invisible_advance(&step);
}

static void *child(void *arg)
{
	__atomic_store_n(&id, syscall(SYS_gettid), __ATOMIC_RELAXED);
	invisible_advance(&step);
	invisible_await(&step, 3);
	return arg;
}

int main(void)
{
	pthread_t t;

	signal(SIGUSR1, handler);
	signal(SIGUSR2, handler);
	pthread_create(&t, NULL, child, NULL);
	invisible_await(&step, 1);
	data = 3;
	syscall(SYS_tgkill, (long)getpid(), __atomic_load_n(&id, __ATOMIC_RELAXED), (long)SIGUSR1);
	invisible_await(&step, 2);
	more = 4;
	syscall(SYS_tkill, __atomic_load_n(&id, __ATOMIC_RELAXED), (long)SIGUSR2);
	pthread_join(t, NULL);
	return seen != 7;
}
