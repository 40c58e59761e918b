/* SPDX-License-Identifier: MIT */
/* A red-black tree, five million nodes at scale 100, each a block of the heap. Threads
 * insert under one lock, some keys at a time, and then look for keys together, when
 * nobody changes the tree any more. */
#include "../kernels/kernel.h"

enum { NODES = 5000000, BATCH = 64 };

struct node {
	struct node *child[2], *parent;
	uint64_t key;
	uint32_t count;
	uint8_t red;
};

static struct node *root;
static pthread_mutex_t tree_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static uint64_t found[KERNEL_THREADS_MAX];

/* Puts n's child of the other side in n's place, and n below it on this side. */
static void rotate(struct node *n, int side)
{
	struct node *up = n->child[!side], *parent = n->parent;

	n->child[!side] = up->child[side];
	if (up->child[side])
		up->child[side]->parent = n;
	up->parent = parent;
	if (!parent)
		root = up;
	else
		parent->child[n == parent->child[1]] = up;
	up->child[side] = n;
	n->parent = up;
}

/* Removes two red nodes in a row, from the new one upwards. */
static void balance(struct node *n)
{
	struct node *parent;

	while ((parent = n->parent) && parent->red) {
		struct node *above = parent->parent;
		int side = parent == above->child[1];
		struct node *uncle = above->child[!side];

		above->red = 1;
		if (uncle && uncle->red) {
			uncle->red = parent->red = 0;
			n = above;
			continue;
		}
		if (n == parent->child[!side]) {
			rotate(parent, side);
			parent = n;
		}
		parent->red = 0;
		rotate(above, !side);
		break;
	}
	root->red = 0;
}

static void insert(uint64_t key)
{
	struct node **at = &root, *parent = NULL;

	while (*at && (*at)->key != key) {
		parent = *at;
		at = &parent->child[key > parent->key];
	}
	if (*at) {
		(*at)->count++;
		return;
	}
	struct node *n = malloc(sizeof *n);

	*n = (struct node){.parent = parent, .key = key, .count = 1, .red = 1};
	*at = n;
	balance(n);
}

static uint64_t key_of(long i)
{
	uint64_t seed = (uint64_t)i;

	return kernel_random(&seed);
}

static uint64_t look_for(uint64_t key)
{
	uint64_t depth = 0;
	struct node *n = root;

	for (; n && n->key != key; depth++)
		n = n->child[key > n->key];
	return n ? n->count : depth << 32;
}

static void work(long id)
{
	long nodes = kernel_scaled(NODES);
	long last = kernel_last(nodes, id);

	for (long i = kernel_first(nodes, id); i < last; i += BATCH) {
		pthread_mutex_lock(&tree_lock);
		for (long k = i; k < i + BATCH && k < last; k++)
			insert(key_of(k));
		pthread_mutex_unlock(&tree_lock);
	}
	pthread_barrier_wait(&barrier);
	for (long i = kernel_first(nodes, id); i < last; i += 4)
		found[id] += look_for(key_of(nodes - 1 - i));
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;

	kernel_open(argc, argv);
	pthread_barrier_init(&barrier, NULL, (unsigned)kernel_threads);
	kernel_run(work);
	for (long t = 0; t < kernel_threads; t++)
		sum += found[t];
	return kernel_close(sum);
}
