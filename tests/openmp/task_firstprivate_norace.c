/* SPDX-License-Identifier: MIT */
/* Each task has a copy of the number. */
int out[8];

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
		int number = 0;
		for (int i = 0; i < 4; i++) {
			number = i;
#pragma omp task firstprivate(number)
			out[number] = number;
		}
#pragma omp taskwait
	}
	return out[3] != 3;
}
