/* SPDX-License-Identifier: MIT */
/* Many threads read a long range, each of them twice; then somebody writes one byte in its
 * middle, whom nothing orders. */
#include <pthread.h>
#include <string.h>
#include "invisible.h"

#define READERS 60

static char table[4096];
char copies[READERS][sizeof table];
static invisible_step_t step;

static void *reader(void *arg)
{
	char *copy = arg;

	memcpy(copy, table, sizeof table); // race: a
	memcpy(copy, table, sizeof table); // race: a
	invisible_advance(&step);
	return arg;
}

int main(void)
{
	pthread_t threads[READERS];

	for (int i = 0; i < READERS; i++)
		pthread_create(&threads[i], NULL, reader, copies[i]);
	invisible_await(&step, READERS);
	table[2001] = 1; // race: b
	for (int i = 0; i < READERS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
