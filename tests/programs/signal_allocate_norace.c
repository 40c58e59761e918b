/* SPDX-License-Identifier: MIT */
/* A handler allocates and locks, wherever it came. The C library alone would not stand
 * it; what the thread was doing in our hands is done first. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

enum { MANY = 2000 };
static volatile sig_atomic_t runs;
static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

static void handler(int number)
{
	(void)number;
	pthread_mutex_lock(&own);
	for (size_t size = 16; size < 100000; size *= 3) {
		char *p = malloc(size);
		p[0] = p[size - 1] = 1;
		free(p);
	}
	pthread_mutex_unlock(&own);
	runs++;
}

int main(void)
{
	struct itimerval every = {{0, 300}, {0, 300}}, never = {0};
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	char *kept[64] = {0};

	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &every, NULL);
	for (unsigned i = 0; runs < MANY; i++) {
		pthread_mutex_lock(&mutex);
		free(kept[i % 64]);
		kept[i % 64] = malloc(16 + i * 7919 % 100000);
		kept[i % 64][0] = 1;
		pthread_mutex_unlock(&mutex);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	for (int i = 0; i < 64; i++)
		free(kept[i]);
	return 0;
}
