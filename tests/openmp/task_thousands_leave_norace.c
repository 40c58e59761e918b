/* SPDX-License-Identifier: MIT */
/* Of thousands of tasks that are alike some do more: they make a task, wait for it, enter
 * a critical section, and hand something over there. */
#include <stdlib.h>

enum { COUNT = 3000 };
int sums[COUNT], count, table[8], *given;

static void work(int i)
{
	sums[i] = table[i % 8];
	if (i % 100 == 50) {
		int part = 0;
#pragma omp task shared(part)
		part = sums[i] + table[i % 8];
#pragma omp taskwait
		sums[i] = part;
	}
	if (i % 500 == 499) {
		int *mine = malloc(sizeof *mine);
		*mine = i;
#pragma omp critical
		{
			count += given ? *given : 0;
			free(given);
			given = mine;
		}
	}
}

int main(void)
{
	for (int round = 0; round < 2; round++) {
#pragma omp parallel
#pragma omp single
		for (int i = 0; i < COUNT; i++) {
#pragma omp task
			work(i);
		}
		table[round] = count + *given;
	}
	free(given);
	return 0;
}
