/* SPDX-License-Identifier: MIT */
/* Who has joined a thread comes after its destructors of thread-specific data. */
#include <pthread.h>

int x;
static pthread_key_t key;

static void destroy(void *value)
{
	*(int *)value = 1;
}

static void *child(void *arg)
{
	pthread_setspecific(key, &x);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_key_create(&key, destroy);
	pthread_create(&t, NULL, child, NULL);
	pthread_join(t, NULL);
	x = 2;
	return 0;
}
