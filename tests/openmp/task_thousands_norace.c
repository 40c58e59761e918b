/* SPDX-License-Identifier: MIT */
/* Thousands of tasks, in rounds: each reads what all of the last round wrote. */
enum { COUNT = 1000, ROUNDS = 4 };
int sums[2][COUNT];

static void work(int round, int i)
{
	const int *old = sums[round % 2];

	sums[1 - round % 2][i] = old[(i + 1) % COUNT] + old[(i * 7) % COUNT] + 1;
}

int main(void)
{
#pragma omp parallel
#pragma omp single
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < COUNT; i++) {
#pragma omp task
			work(round, i);
		}
#pragma omp taskwait
	}
	return sums[0][0] != (1 << ROUNDS) - 1;
}
