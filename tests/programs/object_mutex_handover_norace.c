/* SPDX-License-Identifier: MIT */
/* A block with a mutex in it: the last of its users, who learns so under that very
 * mutex, destroys and frees it. */
#include <stdlib.h>
#include "threads.h"

struct box {
	pthread_mutex_t m;
	int users;
};

static void use(struct box *b)
{
	pthread_mutex_lock(&b->m);
	int left = --b->users;
	pthread_mutex_unlock(&b->m);
	if (left)
		return;
	pthread_mutex_destroy(&b->m);
	free(b);
}

static struct box *shared;

static void one(void)
{
	use(shared);
}

int main(void)
{
	for (int i = 0; i < 50; i++) {
		shared = malloc(sizeof *shared);
		pthread_mutex_init(&shared->m, NULL);
		shared->users = 3;
		run_threads(3, one, one, one);
	}
	return 0;
}
