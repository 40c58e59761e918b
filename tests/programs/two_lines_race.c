/* SPDX-License-Identifier: MIT */
/* Two threads, one plain write each, and nothing else: found in every run, whichever
 * comes first and whether they meet or not (repeat.t). */
#include <pthread.h>

int x; /* not static: it is never read, and would go away */

static void *one(void *arg)
{
	x = 1; // race: a
	return arg;
}

static void *two(void *arg)
{
	x = 2; // race: b
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
