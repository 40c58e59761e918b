/* SPDX-License-Identifier: MIT */
/*
 * The frame of most programs on atomics: a few functions, each in a thread of its own,
 * all started before any of them is joined.
 *
 *	static void one(void) { ... }
 *	static void two(void) { ... }
 *	int main(void) { run_threads(2, one, two); return 0; }
 */
#ifndef TESTS_PROGRAMS_THREADS_H
#define TESTS_PROGRAMS_THREADS_H

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include "invisible.h"

#define RUN_MAX 8

typedef struct {
	void (*function)(void);
} run_job_t;

static void *run_job(void *arg)
{
	((run_job_t *)arg)->function();
	return NULL;
}

__attribute__((unused)) static void run_threads(int count, ...)
{
	pthread_t threads[RUN_MAX];
	run_job_t jobs[RUN_MAX];
	va_list functions;

	va_start(functions, count);
	for (int i = 0; i < count; i++)
		jobs[i].function = va_arg(functions, void (*)(void));
	va_end(functions);
	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, run_job, &jobs[i]);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

#endif
