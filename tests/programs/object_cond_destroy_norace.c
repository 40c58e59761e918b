/* SPDX-License-Identifier: MIT */
/* The signal comes before the unlock, so who waited may destroy the condition at
 * once. */
#include "threads.h"

static void *signal_it(void *arg);

struct call {
	pthread_mutex_t m;
	pthread_cond_t c;
	int ready;
};

static void *signal_it(void *arg)
{
	struct call *call = arg;

	pthread_mutex_lock(&call->m);
	call->ready = 1;
	pthread_cond_signal(&call->c);
	pthread_mutex_unlock(&call->m);
	return NULL;
}

static void wait_for_it(void)
{
	struct call call = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
	pthread_t t;

	pthread_create(&t, NULL, signal_it, &call);
	pthread_detach(t);
	pthread_mutex_lock(&call.m);
	while (!call.ready)
		pthread_cond_wait(&call.c, &call.m);
	pthread_mutex_unlock(&call.m);
	pthread_cond_destroy(&call.c);
}

int main(void)
{
	for (int i = 0; i < 50; i++)
		wait_for_it();
	return 0;
}
