/* SPDX-License-Identifier: MIT */
/* The last round of destructors of thread-specific data comes after the thread is watched
 * no more; they read what several threads have read. */
// output: done
#include <pthread.h>
#include <stdio.h>

enum { READERS = 6, ROUNDS = 4 };

static volatile char c;
static volatile int i;
static volatile long l;
static pthread_key_t key;
static pthread_barrier_t barrier;

static void read_all(void)
{
	if (c || i || l)
		puts("not what they were");
}

static void again(void *rounds)
{
	if ((char *)rounds - (char *)0 > 1)
		pthread_setspecific(key, (char *)rounds - 1);
	else
		read_all();
}

static void *reader(void *arg)
{
	read_all();
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return arg;
}

static void *ender(void *arg)
{
	pthread_setspecific(key, (char *)0 + ROUNDS);
	return arg;
}

int main(void)
{
	pthread_t t[READERS], e;

	pthread_barrier_init(&barrier, NULL, READERS + 1);
	pthread_key_create(&key, again);
	for (int n = 0; n < READERS; n++)
		pthread_create(&t[n], NULL, reader, NULL);
	pthread_barrier_wait(&barrier);
	pthread_create(&e, NULL, ender, NULL);
	pthread_join(e, NULL);
	pthread_barrier_wait(&barrier);
	for (int n = 0; n < READERS; n++)
		pthread_join(t[n], NULL);
	puts("done");
	return 0;
}
