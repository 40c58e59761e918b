/* SPDX-License-Identifier: MIT */
// flags: -mcx16
// skip: dropin
/* A lock of two words, taken and given back by a cmpxchg of both. */
#include <pthread.h>

struct pair {
	long low, high;
} __attribute__((aligned(16)));
static struct pair lock;
static int data;

static int swap(struct pair from, struct pair to)
{
	char done;
	__asm__ volatile("lock cmpxchg16b %1; sete %0"
			 : "=q"(done), "+m"(lock), "+a"(from.low), "+d"(from.high)
			 : "b"(to.low), "c"(to.high)
			 : "memory", "cc");
	return done;
}

static void *work(void *arg)
{
	struct pair none = {0, 0}, held = {1, (long)&lock};
	for (int i = 0; i < 100; i++) {
		while (!swap(none, held))
			__asm__ volatile("pause");
		data++;
		swap(held, none);
	}
	return arg;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	work(NULL);
	pthread_join(t, NULL);
	return data != 200;
}
