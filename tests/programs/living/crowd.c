/* SPDX-License-Identifier: MIT */
/* Many threads: N alive at a time, or N one after the other, each with something to do.
 * Says how much memory it took. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all;
static int total;

static void *child(void *together)
{
	int *p = malloc(sizeof *p);

	*p = 1;
	pthread_mutex_lock(&mutex);
	total += *p;
	pthread_mutex_unlock(&mutex);
	free(p);
	if (together)
		pthread_barrier_wait(&all);
	return NULL;
}

static int live(int n)
{
	pthread_t *t = calloc((size_t)n, sizeof *t);
	pthread_attr_t a;

	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, 128 << 10);
	pthread_barrier_init(&all, NULL, (unsigned)n);
	for (int i = 0; i < n; i++)
		if (pthread_create(&t[i], &a, child, t) != 0)
			return 1;
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	free(t);
	return total != n;
}

static int successive(int n)
{
	for (int i = 0; i < n; i++) {
		pthread_t t;
		if (pthread_create(&t, NULL, child, NULL) != 0)
			return 1;
		pthread_join(t, NULL);
	}
	return total != n;
}

int main(int argc, char **argv)
{
	struct rusage u;

	if (argc != 3 || (argv[1][0] == 'l' ? live : successive)(atoi(argv[2])) != 0)
		return 1;
	getrusage(RUSAGE_SELF, &u);
	printf("%ld MiB\n", u.ru_maxrss / 1024);
	return 0;
}
