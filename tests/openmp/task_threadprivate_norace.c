/* SPDX-License-Identifier: MIT */
/* Tasks use a variable of the thread that runs them, one after the other. */
static int last, runs[4];
#pragma omp threadprivate(last, runs)

int out[64];

int main(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 32; i++) {
#pragma omp task
		{
			last = i;
			runs[i % 4]++;
			out[i] = last;
		}
	}
	return 0;
}
