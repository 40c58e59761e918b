/* SPDX-License-Identifier: MIT */
// small: 2000
/*
 * Many small tasks: each adds up some numbers and puts the sum into a place of its own.
 *
 *	tasks [COUNT [NUMBERS]]
 *
 * -DPLAIN: the same work in calls, without tasks.
 * -DRACE: the sums are added to one variable.
 */
#include <stdio.h>
#include <stdlib.h>

enum { NUMBERS = 1024 };
static int numbers[NUMBERS];
static int each = 64;
int all;

static void work(int *sums, long i)
{
	int sum = 0;

	for (int k = 0; k < each; k++)
		sum += numbers[(i + k) % NUMBERS];
	sums[i] = sum;
#ifdef RACE
	all += sum; // race: a b
#endif
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 1000000, wrong = 0;
	int *sums = malloc((size_t)count * sizeof *sums);

	each = argc > 2 ? atoi(argv[2]) : each;
	for (int i = 0; i < NUMBERS; i++)
		numbers[i] = 1;
#ifdef PLAIN
	for (long i = 0; i < count; i++)
		work(sums, i);
#else
#pragma omp parallel
#pragma omp single
	for (long i = 0; i < count; i++) {
#pragma omp task
		work(sums, i);
	}
#endif
	for (long i = 0; i < count; i++)
		wrong += sums[i] != each;
	if (wrong)
		printf("wrong: %ld\n", wrong);
	free(sums);
	return wrong != 0;
}
