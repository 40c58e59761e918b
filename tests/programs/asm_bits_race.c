/* SPDX-License-Identifier: MIT */
// skip: dropin
/* Two bits of an array that lie in different words are different locks. */
#include <pthread.h>
#include "invisible.h"

static long words[2];
int data;
static invisible_step_t step;

static void take(long bit)
{
	__asm__ volatile("lock btsq %1, %0" : "+m"(words) : "r"(bit) : "cc", "memory");
}

static void *work(void *arg)
{
	take(3);
	data = 1; // race: a
	invisible_advance(&step);
	return arg;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	invisible_await(&step, 1);
	take(67);
	data = 2; // race: b
	pthread_join(t, NULL);
	return words[0] != 8 || words[1] != 8;
}
