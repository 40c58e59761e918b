/* SPDX-License-Identifier: MIT */
/* Waiting releases the mutex: who locks it meanwhile comes after what the waiting thread
 * did before. */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int waits, ready, x;

static void *wait(void *arg)
{
	pthread_mutex_lock(&m);
	x = 1;
	waits = 1;
	while (!ready)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t;
	int done = 0;

	pthread_create(&t, NULL, wait, NULL);
	while (!done) {
		pthread_mutex_lock(&m);
		done = waits;
		pthread_mutex_unlock(&m);
	}
	x = 2;
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	return 0;
}
