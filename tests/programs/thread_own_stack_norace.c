/* SPDX-License-Identifier: MIT */
/* A thread on memory that the program brings; its attributes are kept. */
#include <pthread.h>

static char stack[256 << 10] __attribute__((aligned(4096)));
int x;

static void *child(void *arg)
{
	char here;

	x = &here > stack && &here < stack + sizeof stack ? 1 : 2;
	return arg;
}

int main(void)
{
	pthread_attr_t a;
	pthread_t t;

	pthread_attr_init(&a);
	pthread_attr_setstack(&a, stack, sizeof stack);
	pthread_create(&t, &a, child, NULL);
	pthread_join(t, NULL);
	if (x != 1)
		return 1;
	return 0;
}
