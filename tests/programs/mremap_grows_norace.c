/* SPDX-License-Identifier: MIT */
// flags: -D_GNU_SOURCE
/* A mapping that grows in place, or cannot, stays what it was to who uses it. */
#include <stdlib.h>
#include <sys/mman.h>
#include "threads.h"

enum { PAGE = 4096 };
struct shared {
	pthread_mutex_t mutex;
	int value;
};
static struct shared *shared;
static invisible_step_t step;

static void one(void)
{
	pthread_mutex_lock(&shared->mutex);
	shared->value = 1;
	pthread_mutex_unlock(&shared->mutex);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	munmap((char *)shared + PAGE, 2 * PAGE);
	if (mremap(shared, PAGE, 2 * PAGE, 0) != shared ||
	    mremap(shared, 2 * PAGE, 3 * PAGE, MREMAP_MAYMOVE) != shared ||
	    mremap(shared, 3 * PAGE, 4 * PAGE, 0) != MAP_FAILED)
		abort();
	pthread_mutex_lock(&shared->mutex);
	shared->value++;
	pthread_mutex_unlock(&shared->mutex);
}

int main(void)
{
	shared = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		      -1, 0);
	mprotect((char *)shared + 3 * PAGE, PAGE, PROT_NONE); /* in the way */
	pthread_mutex_init(&shared->mutex, NULL);
	run_threads(2, one, two);
	return 0;
}
