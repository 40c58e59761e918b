/* SPDX-License-Identifier: MIT */
/* Search trees, unbalanced, one lock each: insertions and counts by all threads. */
#include "kernel.h"

enum { TREES = 4, KEYS = 40000, STEPS = 400000 };

struct node {
	struct node *left, *right;
	long key;
	int hits, depth;
};

static struct node *root[TREES];
static pthread_mutex_t lock[TREES];

static void insert(struct node **place, long key)
{
	int depth = 0;

	while (*place && (*place)->key != key) {
		place = key < (*place)->key ? &(*place)->left : &(*place)->right;
		depth++;
	}
	if (!*place) {
		*place = calloc(1, sizeof **place);
		(*place)->key = key;
		(*place)->depth = depth;
	}
	(*place)->hits++;
}

static void work(long id)
{
	long steps = kernel_scaled(STEPS);

	for (long i = kernel_first(steps, id); i < kernel_last(steps, id); i++) {
		uint64_t seed = (uint64_t)i;
		uint64_t r = kernel_random(&seed);
		unsigned tree = r % TREES;

		pthread_mutex_lock(&lock[tree]);
		insert(&root[tree], (long)(r / TREES % KEYS));
		pthread_mutex_unlock(&lock[tree]);
	}
}

static uint64_t total(const struct node *n)
{
	return n ? (uint64_t)n->hits * (uint64_t)n->key + total(n->left) + total(n->right)
		 : 0;
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;

	kernel_open(argc, argv);
	for (int i = 0; i < TREES; i++)
		pthread_mutex_init(&lock[i], NULL);
	kernel_run(work);
	for (int i = 0; i < TREES; i++)
		sum += total(root[i]);
	return kernel_close(sum);
}
