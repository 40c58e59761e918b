/* SPDX-License-Identifier: MIT */
/* A thread that cannot be created leaves nothing behind; the next one is as any other. */
#include <pthread.h>

int x;

static void *child(void *arg)
{
	x = 2;
	return arg;
}

int main(void)
{
	pthread_attr_t a;
	pthread_t t;

	x = 1;
	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, (size_t)1 << 46);
	for (int i = 0; i < 100; i++)
		if (pthread_create(&t, &a, child, NULL) == 0)
			return 1;
	pthread_create(&t, NULL, child, NULL);
	pthread_join(t, NULL);
	return x == 2 ? 0 : 1;
}
