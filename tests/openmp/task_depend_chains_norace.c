/* SPDX-License-Identifier: MIT */
/* A thousand tasks in a hundred chains: two of one chain, far apart, write the same. */

enum { CHAINS = 100, STEPS = 10, ONE = 400, OTHER = 500 };

int chain[CHAINS];
int last;

static void step(int number)
{
	chain[number % CHAINS]++;
	if (number == ONE || number == OTHER)
		last = number;
}

int main(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < CHAINS * STEPS; i++) {
#pragma omp task depend(inout : chain[i % CHAINS])
		step(i);
	}
	return chain[0] != STEPS;
}
