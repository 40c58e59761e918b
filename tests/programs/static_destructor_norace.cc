/* SPDX-License-Identifier: MIT */
/* A static object that one thread has constructed is destroyed at the end by another,
 * which comes after. */
#include <pthread.h>
#include "invisible.h"

static invisible_step_t step;

struct object {
	int value;
	object() : value(1) {}
	~object()
	{
		value = 0;
	}
};

static void *child(void *arg)
{
	static object it;
	invisible_advance(&step);
	return arg;
}

int main()
{
	pthread_t t;
	pthread_create(&t, nullptr, child, nullptr);
	pthread_detach(t);
	invisible_await(&step, 1);
	return 0;
}
