/* SPDX-License-Identifier: MIT */
/* A cancelled wait takes the mutex again: who had it meanwhile comes before. */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int waits, x;

static void clean_up(void *unused)
{
	(void)unused;
	x = 1;
	pthread_mutex_unlock(&m);
}

static void *wait(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_cleanup_push(clean_up, NULL);
	for (waits = 1;;)
		pthread_cond_wait(&c, &m);
	pthread_cleanup_pop(0);
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
		if (done) {
			pthread_cancel(t);
			x = 2;
		}
		pthread_mutex_unlock(&m);
	}
	pthread_join(t, NULL);
	return 0;
}
