/* SPDX-License-Identifier: MIT */
/* Dining philosophers, one of the programs of TREE's Table 5.1: each takes the two forks
 * of its place, the lower one first, and eats. */
#include "../kernels/kernel.h"

enum { MEALS = 200000 };

static pthread_mutex_t fork_lock[KERNEL_THREADS_MAX + 1];
static struct fork {
	long uses, last;
} dish[KERNEL_THREADS_MAX + 1];

static void eat(long left, long right, long id)
{
	dish[left].uses++;
	dish[left].last = id;
	dish[right].uses++;
	dish[right].last = id;
}

static void work(long id)
{
	long next = kernel_threads > 1 ? (id + 1) % kernel_threads : id + 1;
	long low = id < next ? id : next, high = id < next ? next : id;
	long meals = kernel_scaled(MEALS);

	for (long m = kernel_first(meals, id); m < kernel_last(meals, id); m++) {
		pthread_mutex_lock(&fork_lock[low]);
		pthread_mutex_lock(&fork_lock[high]);
		eat(id, next, id);
		pthread_mutex_unlock(&fork_lock[high]);
		pthread_mutex_unlock(&fork_lock[low]);
	}
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;

	kernel_open(argc, argv);
	for (long i = 0; i <= kernel_threads; i++)
		pthread_mutex_init(&fork_lock[i], NULL);
	kernel_run(work);
	for (long i = 0; i <= kernel_threads; i++)
		sum += (uint64_t)(dish[i].uses * (i + 1));
	return kernel_close(sum);
}
