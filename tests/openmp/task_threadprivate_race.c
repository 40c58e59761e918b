/* SPDX-License-Identifier: MIT */
/* The variable is not one for each thread. */
int last;

int out[64];

int main(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 32; i++) {
#pragma omp task
		{
			last = i; // race: a b
			out[i] = last; // race: a
		}
	}
	return 0;
}
