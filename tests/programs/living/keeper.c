/* SPDX-License-Identifier: MIT */
/* See keeper.h. To free it is the last thing that a function does here, so that a compiler
 * makes a jump of it. */
#include "keeper.h"
#include <stdlib.h>

struct box *box_new(int references)
{
	struct box *b = calloc(1, sizeof *b);

	b->references = references;
	return b;
}

void box_put(struct box *b)
{
	if (--b->references == 0)
		free(b);
}
