/* SPDX-License-Identifier: MIT */
/* A table of constants that two threads have read is made writable, and then written by
 * one while the other reads it. */
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include "invisible.h"

enum { PAGE = 4096 };
static const int table[PAGE] __attribute__((aligned(4096))) = {1, 2, 3, 4, 5};
static const volatile int *volatile at = table; /* or clang would know what it is */
static invisible_step_t step;

static int sum(void)
{
	int all = 0;
	for (int i = 0; i < 8; i++)
		all += at[i];
	return all;
}

static void *reader(void *arg)
{
	int before = sum();
	invisible_advance(&step);
	invisible_await(&step, 2);
	*(int *)arg = before + at[3]; // race: a
	invisible_advance(&step);
	return NULL;
}

int main(void)
{
	pthread_t t;
	int result;
	pthread_create(&t, NULL, reader, &result);
	invisible_await(&step, 1);
	int again = sum();
	if (again < 0 ||
	    mprotect((void *)(uintptr_t)table, PAGE, PROT_READ | PROT_WRITE) != 0)
		return 1;
	invisible_advance(&step);
	invisible_await(&step, 3);
	((volatile int *)(uintptr_t)at)[3] = 7; // race: b
	pthread_join(t, NULL);
	return 0;
}
