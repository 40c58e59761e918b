/* SPDX-License-Identifier: MIT */
/* A tree that one thread changes while another looks for something in it. */
#include <search.h>
#include "threads.h"

static int keys[2];
static void *tree;
static invisible_step_t step;

static int compare(const void *a, const void *b)
{
	return a < b ? -1 : a > b;
}

static void one(void)
{
	tsearch(&keys[0], &tree, compare); // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	tfind(&keys[1], &tree, compare); // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
