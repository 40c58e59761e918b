/* SPDX-License-Identifier: MIT */
/* A tree under a lock while it changes, and without one afterwards. */
#include <search.h>
#include "threads.h"

static int keys[40];
static void *tree;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;

static int compare(const void *a, const void *b)
{
	return a < b ? -1 : a > b;
}

static void work(int from)
{
	for (int i = from; i < 40; i += 2) {
		pthread_mutex_lock(&lock);
		tsearch(&keys[i], &tree, compare);
		pthread_mutex_unlock(&lock);
	}
	pthread_barrier_wait(&both);
	for (int i = 0; i < 40; i++)
		tfind(&keys[i], &tree, compare);
}

static void one(void)
{
	work(0);
}

static void two(void)
{
	work(1);
}

int main(void)
{
	pthread_barrier_init(&both, NULL, 2);
	run_threads(2, one, two);
	for (int i = 0; i < 40; i++)
		tdelete(&keys[i], &tree, compare);
	return tree != NULL;
}
