/* SPDX-License-Identifier: MIT */
/* A semaphore on the stack of who waits for it; its memory is used for other things
 * as soon as the wait is over. */
#include <semaphore.h>
#include "threads.h"

__attribute__((noinline)) static int other(int n)
{
	volatile char room[64];
	for (unsigned i = 0; i < sizeof room; i++)
		room[i] = (char)n;
	return room[n % 64];
}

static void *post(void *arg)
{
	sem_post(arg);
	return NULL;
}

__attribute__((noinline)) static void wait_for_it(void)
{
	sem_t s;
	pthread_t t;

	sem_init(&s, 0, 0);
	pthread_create(&t, NULL, post, &s);
	pthread_detach(t);
	sem_wait(&s);
}

int main(void)
{
	for (int i = 0; i < 50; i++) {
		wait_for_it();
		other(i);
	}
	return 0;
}
