/* SPDX-License-Identifier: MIT */
/* A lock-free stack whose head is a number and a pointer: changed as one of sixteen bytes,
 * the pointer read by itself. */
// flags: -mcx16 -latomic
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include "threads.h"

enum { NODES = 100 };
struct node {
	struct node *next;
	int value;
};
union head {
	__int128 all;
	struct {
		uint64_t count;
		struct node *first;
	} part;
};
static union head top __attribute__((aligned(16)));
int last;

static void push(int value)
{
	struct node *n = malloc(sizeof *n);
	union head old, new;

	n->value = value;
	do {
		old.part.count = __atomic_load_n(&top.part.count, __ATOMIC_RELAXED);
		old.part.first = __atomic_load_n(&top.part.first, __ATOMIC_RELAXED);
		n->next = old.part.first;
		new.part.count = old.part.count + 1;
		new.part.first = n;
	} while (!__sync_bool_compare_and_swap(&top.all, old.all, new.all));
}

static void one(void)
{
	for (int i = 1; i <= NODES; i++)
		push(i);
}

static void two(void)
{
	while (last < NODES) {
		struct node *n = __atomic_load_n(&top.part.first, __ATOMIC_ACQUIRE);

		if (n)
			last = n->value;
		else
			sched_yield();
	}
}

int main(void)
{
	run_threads(2, one, two);
	return last != NODES;
}
