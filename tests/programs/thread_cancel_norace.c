/* SPDX-License-Identifier: MIT */
/* A cancelled thread is joined after it has cleaned up. */
#include <pthread.h>
#include <unistd.h>

int x;

static void clean_up(void *unused)
{
	(void)unused;
	x = 1;
}

static void *child(void *arg)
{
	pthread_cleanup_push(clean_up, NULL);
	for (;;)
		pause();
	pthread_cleanup_pop(0);
	return arg;
}

int main(void)
{
	pthread_t t;
	void *value;

	pthread_create(&t, NULL, child, NULL);
	pthread_cancel(t);
	pthread_join(t, &value);
	x = 2;
	return value == PTHREAD_CANCELED ? 0 : 1;
}
