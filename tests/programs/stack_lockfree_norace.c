/* SPDX-License-Identifier: MIT */
/* A stack by compare-exchange: pushed with release, taken as a whole with acquire. */
#include "threads.h"

enum { EACH = 500 };

static struct node {
	struct node *next;
	int value;
} nodes[2][EACH];
static struct node *_Atomic head;
static atomic_int taken;

static void push_all(struct node *from)
{
	for (int i = 0; i < EACH; i++) {
		from[i].value = i;
		from[i].next = atomic_load_explicit(&head, memory_order_relaxed);
		while (!atomic_compare_exchange_weak_explicit(&head, &from[i].next, &from[i],
							      memory_order_release,
							      memory_order_relaxed))
			;
	}
}

static void one(void)
{
	push_all(nodes[0]);
}

static void two(void)
{
	push_all(nodes[1]);
}

static void three(void)
{
	while (taken < 2 * EACH) {
		struct node *n = atomic_exchange_explicit(&head, NULL, memory_order_acquire);

		for (; n; n = n->next)
			taken += n->value >= 0;
	}
}

int main(void)
{
	run_threads(3, one, two, three);
	return 0;
}
