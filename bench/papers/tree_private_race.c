/* SPDX-License-Identifier: MIT */
/* TREE's Figure 5.3, its worst case: each thread takes LOCKS locks of its own and writes
 * x, and so does the main thread before it starts each of them. All of these writes race.
 */
#include "../kernels/kernel.h"

enum { LOCKS_MAX = 128, ITERATIONS = 1000 };

static pthread_mutex_t lock[KERNEL_THREADS_MAX][LOCKS_MAX];
static long locks = 4;
static volatile uint64_t x;

static void *work(void *id)
{
	pthread_mutex_t *own = lock[(intptr_t)id];

	for (long i = 0; i < kernel_scaled(ITERATIONS); i++) {
		for (long k = 0; k < locks; k++)
			pthread_mutex_lock(&own[k]);
		x = x + 1;
		for (long k = locks; k > 0; k--)
			pthread_mutex_unlock(&own[k - 1]);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[KERNEL_THREADS_MAX];

	kernel_open(argc, argv);
	if (argc > 3)
		locks = atol(argv[3]);
	if (locks < 1 || locks > LOCKS_MAX)
		return 2;
	for (long i = 0; i < kernel_threads; i++) {
		for (long k = 0; k < locks; k++)
			pthread_mutex_init(&lock[i][k], NULL);
		x = x + 1;
		pthread_create(&t[i], NULL, work, (void *)(intptr_t)i);
	}
	for (long i = 0; i < kernel_threads; i++)
		pthread_join(t[i], NULL);
	return kernel_close((uint64_t)kernel_threads); /* x depends on the schedule */
}
