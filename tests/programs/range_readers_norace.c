/* SPDX-License-Identifier: MIT */
/* Many threads read a long range, each of them twice; who writes to it has joined them. */
#include <pthread.h>
#include <string.h>
#include "invisible.h"

#define READERS 60

static char table[4096];
char copies[READERS][sizeof table];
static invisible_step_t step;

/* All of them are there at once. */
static void *reader(void *arg)
{
	char *copy = arg;

	memcpy(copy, table, sizeof table);
	memcpy(copy, table, sizeof table);
	invisible_advance(&step);
	invisible_await(&step, READERS);
	return arg;
}

int main(void)
{
	pthread_t threads[READERS];

	for (int i = 0; i < READERS; i++)
		pthread_create(&threads[i], NULL, reader, copies[i]);
	for (int i = 0; i < READERS; i++)
		pthread_join(threads[i], NULL);
	table[2001] = 1;
	memset(table, 1, sizeof table);
	return 0;
}
