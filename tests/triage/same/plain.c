// SPDX-License-Identifier: MIT
/* Races in functions that -O2 inlines, on a field of a global, an element, a static local
 * and a heap block. */
#include "../../programs/invisible.h"

#include <pthread.h>
#include <stdlib.h>

struct stats {
	int hits, misses;
} stats;
int table[8];
static invisible_step_t step;

static void hit(void)
{
	stats.hits++;
}

static void miss(int n)
{
	if (n)
		stats.misses += n;
}

static int *cell(int i)
{
	return &table[i];
}

static void set(int i)
{
	*cell(i) = i;
}

static int next(void)
{
	static int calls;
	return ++calls;
}

static void *xmalloc(size_t n)
{
	return malloc(n);
}

static int *make(void)
{
	return xmalloc(sizeof(int));
}

static void put(int *to)
{
	*to = next();
}

static void *work(void *arg)
{
	static int turns;
	int turn = __atomic_fetch_add(&turns, 1, __ATOMIC_RELAXED);
	invisible_await(&step, (int)turn);
	hit();
	miss(turn + 1);
	set(3);
	put(arg);
	invisible_advance(&step);
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	int *shared = make();
	pthread_create(&a, NULL, work, shared);
	pthread_create(&b, NULL, work, shared);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	free(shared);
	return 0;
}
