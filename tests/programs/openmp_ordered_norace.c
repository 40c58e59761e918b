/* SPDX-License-Identifier: MIT */
// flags: -fopenmp
// skip: clang
/* The ordered part of a loop runs in the order of the loop. */
static int last = -1;

int main(void)
{
#pragma omp parallel for ordered schedule(dynamic) num_threads(4)
	for (int i = 0; i < 40; i++) {
#pragma omp ordered
		{
			last = last + 1 == i ? i : -100;
		}
	}
	return last != 39;
}
