/* SPDX-License-Identifier: MIT */
/* A handler ends its thread, whose cleanup handlers and destructors still run. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

static pthread_key_t key;
int cleanups, destructions;

static void handler(int number)
{
	(void)number;
	pthread_exit(NULL);
}

static void clean(void *arg)
{
	(void)arg;
	free(malloc(100));
	cleanups++;
}

static void destroy(void *arg)
{
	(void)arg;
	destructions++;
}

static __attribute__((noinline)) int deep(int depth)
{
	if (depth == 0)
		raise(SIGUSR1);
	return depth ? deep(depth - 1) + 1 : 0;
}

static void *child(void *arg)
{
	pthread_setspecific(key, arg);
	pthread_cleanup_push(clean, NULL);
	deep(1000);
	pthread_cleanup_pop(0);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_key_create(&key, destroy);
	signal(SIGUSR1, handler);
	for (int i = 0; i < 100; i++) {
		pthread_create(&t, NULL, child, &t);
		pthread_join(t, NULL);
	}
	return cleanups != 100 || destructions != 100;
}
