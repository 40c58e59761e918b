// SPDX-License-Identifier: MIT
// pattern: none
// What was handed over in good order is changed later on.
#include "pair.h"

struct job {
	int value;
};
static struct job *queue;

__attribute__((constructor)) static void make(void)
{
	queue = malloc(sizeof *queue);
	queue->value = 7;
}

void first(void)
{
	queue->value = ordinal();
}

void second(void)
{
	use(&queue->value);
}
