/* SPDX-License-Identifier: MIT */
/* The tasks share the variable that their maker counts with. gcc gives them its value. */
// skip: gcc
int out[8];

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
		int number = 0;
		for (int i = 0; i < 4; i++) {
			number = i; // race: a
#pragma omp task shared(number)
			out[i] = number; // race: b
		}
#pragma omp taskwait
	}
	return 0;
}
