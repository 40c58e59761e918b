/* SPDX-License-Identifier: MIT */
/*
 * What the kernels share: `kernel THREADS [SCALE]`. The work of a kernel grows with SCALE
 * (100 is the default: some tenths of a second under ThreadSanitizer) and not with
 * THREADS: more threads have less to do each. All kernels are free of races, and print a
 * checksum, so that nothing can be optimised away and all builds can be seen to do the
 * same.
 */
#ifndef BENCH_KERNEL_H
#define BENCH_KERNEL_H

#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { KERNEL_THREADS_MAX = 1024 };

static long kernel_threads = 2;
static long kernel_scale = 100;
static void (*kernel_work)(long id);

/* The part of n things that thread id does: [first, last). */
static inline long kernel_first(long n, long id)
{
	return n * id / kernel_threads;
}

static inline long kernel_last(long n, long id)
{
	return kernel_first(n, id + 1);
}

/* n at scale 100. */
static inline long kernel_scaled(long n)
{
	long scaled = n * kernel_scale / 100;
	return scaled > 0 ? scaled : 1;
}

/* A generator of numbers; the state is the caller's. */
static inline uint64_t kernel_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static void kernel_open(int argc, char **argv)
{
	if (argc > 1)
		kernel_threads = atol(argv[1]);
	if (argc > 2)
		kernel_scale = atol(argv[2]);
	if (kernel_threads < 1 || kernel_threads > KERNEL_THREADS_MAX ||
	    kernel_scale < 1) {
		fprintf(stderr, "usage: %s [THREADS [SCALE]]\n", argv[0]);
		exit(2);
	}
}

static void *kernel_thread(void *id)
{
	kernel_work((long)(intptr_t)id);
	return NULL;
}

/* Runs work(0) ... work(threads - 1) at the same time and waits for all. */
static inline void kernel_run(void (*work)(long id))
{
	pthread_t t[KERNEL_THREADS_MAX];

	kernel_work = work;
	for (long i = 0; i < kernel_threads; i++) {
		if (pthread_create(&t[i], NULL, kernel_thread, (void *)(intptr_t)i)) {
			fprintf(stderr, "cannot create a thread\n");
			exit(1);
		}
	}
	for (long i = 0; i < kernel_threads; i++)
		pthread_join(t[i], NULL);
}

static inline int kernel_close(uint64_t checksum)
{
	printf("%016" PRIx64 "\n", checksum);
	return 0;
}

#endif
