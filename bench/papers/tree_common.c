/* SPDX-License-Identifier: MIT */
/* TREE's Figure 5.1, its best case: in a loop all threads take the same LOCKS locks,
 * write x and give them back. The third argument is the number of locks. */
#include "../kernels/kernel.h"

enum { LOCKS_MAX = 128, ITERATIONS = 1000 };

static pthread_mutex_t lock[LOCKS_MAX];
static long locks = 4;
static uint64_t x;

static void work(long id)
{
	(void)id;
	for (long i = 0; i < kernel_scaled(ITERATIONS); i++) {
		for (long k = 0; k < locks; k++)
			pthread_mutex_lock(&lock[k]);
		x = x + 1;
		for (long k = locks; k > 0; k--)
			pthread_mutex_unlock(&lock[k - 1]);
	}
}

int main(int argc, char **argv)
{
	kernel_open(argc, argv);
	if (argc > 3)
		locks = atol(argv[3]);
	if (locks < 1 || locks > LOCKS_MAX)
		return 2;
	for (long k = 0; k < locks; k++)
		pthread_mutex_init(&lock[k], NULL);
	kernel_run(work);
	return kernel_close(x);
}
