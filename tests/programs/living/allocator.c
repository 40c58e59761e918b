/* SPDX-License-Identifier: MIT */
/* A library with an allocator of its own, for LD_PRELOAD. Like those that are in use it
 * calls functions of the C library from within, from its first call on. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROOM = 64 << 20, ALIGN = 16 };
static char room[ROOM] __attribute__((aligned(ALIGN)));
static size_t used;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void *malloc(size_t size)
{
	struct timespec moment = {0, 1};
	size_t *block;

	while (pthread_mutex_trylock(&mutex) != 0)
		nanosleep(&moment, NULL);
	if (getenv("ALLOCATOR_LIMIT"))
		used = ROOM;
	block = (size_t *)(room + used);
	used += ALIGN + (size + ALIGN - 1) / ALIGN * ALIGN;
	pthread_mutex_unlock(&mutex);
	if (used > ROOM)
		return NULL;
	*block = size;
	return (char *)block + ALIGN;
}

void free(void *block)
{
	(void)block;
}

void *calloc(size_t count, size_t size)
{
	return malloc(count * size);
}

void *realloc(void *block, size_t size)
{
	void *other = malloc(size);

	if (block && other) {
		size_t old = *(size_t *)((char *)block - ALIGN);
		memcpy(other, block, old < size ? old : size);
	}
	return other;
}
