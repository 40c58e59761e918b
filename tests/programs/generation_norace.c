/* SPDX-License-Identifier: MIT */
/* Functions that the C library has twice for old programs: the newest is what is meant.
 * The older realpath() has no memory of its own, and the older condition variables
 * are of another kind. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c;
int ready;

static void *tell(void *arg)
{
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t;
	char *root = realpath("/.", NULL);

	pthread_cond_init(&c, NULL);
	pthread_create(&t, NULL, tell, NULL);
	pthread_mutex_lock(&m);
	while (!ready)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	pthread_cond_destroy(&c);
	return root && root[0] == '/' && !root[1] ? 0 : 1;
}
