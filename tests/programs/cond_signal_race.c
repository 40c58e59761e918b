/* SPDX-License-Identifier: MIT */
/* A signal by itself orders nothing: the write of who told comes after the mutex was
 * unlocked and before the signal. */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int waits, x;

static void *wait(void *arg)
{
	pthread_mutex_lock(&m);
	waits = 1;
	pthread_cond_wait(&c, &m);
	x = 2; // race: a
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
	x = 1; // race: b
	pthread_cond_signal(&c);
	pthread_join(t, NULL);
	return 0;
}
