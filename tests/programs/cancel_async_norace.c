/* SPDX-License-Identifier: MIT */
/* Threads that may be cancelled at any instruction, in the middle of our work too. */
#include <pthread.h>
#include <stdlib.h>
#include "invisible.h"

enum { MANY = 300 };
static invisible_step_t step;
static volatile char memory[1 << 16];

static void *child(void *arg)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	invisible_advance(&step);
	for (unsigned i = 0;; i += 64)
		memory[i % sizeof memory] = 1;
	return arg;
}

int main(void)
{
	for (int i = 1; i <= MANY; i++) {
		pthread_t t;
		void *result;
		pthread_create(&t, NULL, child, NULL);
		invisible_await(&step, i);
		pthread_cancel(t);
		pthread_join(t, &result);
		if (result != PTHREAD_CANCELED)
			return 1;
		free(malloc(100));
		memory[0] = 0;
	}
	return 0;
}
