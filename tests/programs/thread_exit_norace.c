/* SPDX-License-Identifier: MIT */
/* A thread that ends by pthread_exit() is joined like any other, and its value is
 * there. */
#include <pthread.h>

int x;

static void *child(void *arg)
{
	x = 1;
	pthread_exit(&x);
	return arg;
}

int main(void)
{
	pthread_t t;
	void *value;

	pthread_create(&t, NULL, child, NULL);
	pthread_join(t, &value);
	x = 2;
	if (value != &x)
		return 1;
	return 0;
}
