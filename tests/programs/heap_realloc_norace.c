/* SPDX-License-Identifier: MIT */
/* An array that grows under a lock. */
#include <stdlib.h>
#include "threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int *array, count;

static void grow(void)
{
	for (int i = 0; i < 2000; i++) {
		pthread_mutex_lock(&mutex);
		array = realloc(array, (count + 1) * sizeof *array);
		array[count++] = i;
		pthread_mutex_unlock(&mutex);
	}
}

int main(void)
{
	run_threads(2, grow, grow);
	free(array);
	return count != 4000;
}
