/* SPDX-License-Identifier: MIT */
/* One thread writes to a box and lets go of it, then another lets go of it too, which
 * frees it: in the library, whose count orders the two unseen; or, with an argument, itself,
 * which nothing orders. */
#include "../invisible.h"
#include <pthread.h>
#include <stdlib.h>
#include "keeper.h"

static invisible_step_t step;
static struct box *box;

static void *writer(void *unused)
{
	box->value = 1;
	box_put(box);
	invisible_advance(&step);
	return unused;
}

static void *last(void *own)
{
	invisible_await(&step, 1);
	if (own)
		free(box);
	else
		box_put(box);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	box = box_new(2);
	pthread_create(&threads[0], NULL, writer, NULL);
	pthread_create(&threads[1], NULL, last, argc > 1 ? argv[1] : NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
