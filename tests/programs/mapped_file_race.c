/* SPDX-License-Identifier: MIT */
/* Two threads over a mapped file: the report names the file. */
// message: of the file /memfd:ledger
// message: (observed) on the mapped file /memfd:ledger
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "threads.h"

static int *shared;
static invisible_step_t step;

static void one(void)
{
	shared[3] = 1; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	shared[3] = 2; // race: b
}

int main(void)
{
	int fd = memfd_create("ledger", 0);
	if (fd < 0 || ftruncate(fd, 8192))
		return 1;
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 4096);
	if (shared == MAP_FAILED)
		return 1;
	run_threads(2, one, two);
	return 0;
}
