/* SPDX-License-Identifier: MIT */
/* A program that has taken all addresses that there are goes on, and so does the watch of
 * what was in use before. */
#include <stdio.h>
#include <sys/mman.h>
#include "threads.h"

static invisible_barrier_t ready = INVISIBLE_BARRIER(2);
long told[200];
static long first;

static void take_all(void)
{
	for (size_t size = (size_t)1 << 46; size >= 4096; size /= 2)
		while (mmap(NULL, size, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			    0) != MAP_FAILED)
			;
}

static void one(void)
{
	invisible_barrier_wait(&ready);
	first = 1;
	take_all();
	for (int i = 0; i < 200; i++)
		told[i] = 1; // race: a
	invisible_barrier_wait(&ready);
}

static void two(void)
{
	char text[32];
	invisible_barrier_wait(&ready);
	invisible_barrier_wait(&ready);
	for (int i = 0; i < 200; i++)
		told[i] = snprintf(text, sizeof text, "%d", i); // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return first != 1;
}
