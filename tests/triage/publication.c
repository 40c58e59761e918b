// SPDX-License-Identifier: MIT
// pattern: publication
#include "pair.h"

struct job {
	int value;
};
static struct job *queue;

void first(void)
{
	struct job *j = malloc(sizeof *j);
	j->value = 7;
	queue = j;
}

void second(void)
{
	use(&queue->value);
}
