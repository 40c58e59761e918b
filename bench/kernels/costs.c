/* SPDX-License-Identifier: MIT */
/*
 * What single operations cost by themselves: one thread does each many times over, and
 * the CPU time per operation is printed in nanoseconds, the best of several goes, a line
 * each. A program apart from the kernels (run_kernels --costs).
 */
#include "kernel.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum { GOES = 3, PAGE = 2048 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static volatile long value;
static volatile long many[PAGE / sizeof(long)];
static char page[2][PAGE], text[2][16] = {"0123456789", "0123456789"};
static _Atomic long relaxed, counted;

static void op_read(void)
{
	(void)value;
}

static void op_write(void)
{
	value = 1;
}

static void op_lock(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
}

static void op_lock_write(void)
{
	pthread_mutex_lock(&lock);
	value++;
	pthread_mutex_unlock(&lock);
}

static void op_read_lock(void)
{
	pthread_rwlock_rdlock(&rwlock);
	(void)value;
	pthread_rwlock_unlock(&rwlock);
}

static void op_relaxed(void)
{
	atomic_fetch_add_explicit(&relaxed, 1, memory_order_relaxed);
}

static void op_acq_rel(void)
{
	atomic_fetch_add_explicit(&counted, 1, memory_order_acq_rel);
}

static void op_malloc(void)
{
	char *volatile block = malloc(64);

	free(block);
}

static void op_malloc_page(void)
{
	char *volatile block = malloc(PAGE);

	free(block);
}

static void op_copy(void)
{
	memcpy(page[0], page[1], PAGE);
}

/* In a time frame of its own each time. */
static void op_copy_anew(void)
{
	pthread_mutex_lock(&lock);
	memcpy(page[0], page[1], PAGE);
	pthread_mutex_unlock(&lock);
}

static void op_compare(void)
{
	static int (*volatile compare)(const char *, const char *) = strcmp;

	value = compare(text[0], text[1]);
}

static void op_sum(void)
{
	long sum = 0;

	for (size_t i = 0; i < sizeof many / sizeof many[0]; i++)
		sum += many[i];
	value = sum;
}

static void *nothing(void *arg)
{
	return arg;
}

static void op_thread(void)
{
	pthread_t t;

	if (pthread_create(&t, NULL, nothing, NULL) == 0)
		pthread_join(t, NULL);
}

static const struct {
	const char *name;
	void (*op)(void);
	long times;
} costs[] = {
    {"a function with a read", op_read, 2000000},
    {"a function with a write", op_write, 2000000},
    {"256 reads in a loop", op_sum, 10000},
    {"lock, unlock", op_lock, 300000},
    {"lock, increment, unlock", op_lock_write, 300000},
    {"read lock, read, unlock", op_read_lock, 300000},
    {"relaxed fetch_add", op_relaxed, 1000000},
    {"acq_rel fetch_add", op_acq_rel, 1000000},
    {"malloc, free of 64 bytes", op_malloc, 300000},
    {"malloc, free of 2 KiB", op_malloc_page, 100000},
    {"memcpy of 2 KiB", op_copy, 100000},
    {"lock, memcpy of 2 KiB, unlock", op_copy_anew, 50000},
    {"strcmp of 10 characters", op_compare, 300000},
    {"a thread, created and joined", op_thread, 300},
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double measure(void (*op)(void), long times)
{
	double best = 1e18;

	for (int g = 0; g < GOES; g++) {
		double start = now();

		for (long i = 0; i < times; i++)
			op();
		best = now() - start < best ? now() - start : best;
	}
	return best / (double)times;
}

int main(int argc, char **argv)
{
	kernel_open(argc, argv);
	for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++)
		printf("%s\t%.1f\n", costs[i].name,
		       measure(costs[i].op, kernel_scaled(costs[i].times)));
	return 0;
}
