/* SPDX-License-Identifier: MIT */
// flags: -D_GNU_SOURCE
/* Advice that leaves what is there, that the kernel refuses, that comes in order, or that
 * is about other pages. */
#include <pthread.h>
#include <sys/mman.h>
#include "threads.h"

enum { PAGE = 4096, SIZE = 16 * PAGE };
static char *memory;
static invisible_step_t step;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void one(void)
{
	memory[0] = 1;
	pthread_mutex_lock(&lock);
	memory[8 * PAGE] = 1;
	pthread_mutex_unlock(&lock);
	memory[12 * PAGE - 1] = 1;
	memory[14 * PAGE] = 1;
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	madvise(memory, PAGE, MADV_WILLNEED);
	madvise(memory + 1, PAGE, MADV_DONTNEED);
	madvise(memory + 12 * PAGE, 2 * PAGE, MADV_DONTNEED);
	pthread_mutex_lock(&lock);
	madvise(memory + 8 * PAGE, PAGE, MADV_DONTNEED);
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	run_threads(2, one, two);
	return 0;
}
