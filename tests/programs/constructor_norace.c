/* SPDX-License-Identifier: MIT */
/* Threads and mutexes work in constructors, before main(). */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_t t;
int x;

static void *child(void *arg)
{
	pthread_mutex_lock(&m);
	x++;
	pthread_mutex_unlock(&m);
	return arg;
}

__attribute__((constructor(102))) static void before_main(void)
{
	pthread_create(&t, NULL, child, NULL);
	pthread_mutex_lock(&m);
	x++;
	pthread_mutex_unlock(&m);
}

int main(void)
{
	pthread_join(t, NULL);
	x++;
	return 0;
}
