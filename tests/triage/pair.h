/* SPDX-License-Identifier: MIT */
/*
 * What the programs of this folder share: two threads, the second of which begins when the
 * first is done, in a way that the detector cannot see. A program has the functions first
 * and second.
 */
#ifndef TESTS_TRIAGE_PAIR_H
#define TESTS_TRIAGE_PAIR_H

#include "../programs/invisible.h"

#include <pthread.h>
#include <stdlib.h>

void first(void);
void second(void);

static invisible_step_t step;
static volatile int sink;

/* Reads it. */
#define use(pointer) (sink = *(pointer))

/* A number that the compiler does not know. */
__attribute__((noinline)) static int ordinal(void)
{
	return (int)(getpid() & 7) + 1;
}

__attribute__((noinline, unused)) static void pause_a_little(void)
{
	__asm__ volatile("");
}

static void *run_first(void *arg)
{
	first();
	invisible_advance(&step);
	return arg;
}

static void *run_second(void *arg)
{
	invisible_await(&step, 1);
	second();
	return arg;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, run_first, NULL);
	pthread_create(&b, NULL, run_second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return ordinal() == 0;
}

#endif
