/* SPDX-License-Identifier: MIT */
/* Two tasks that nothing orders. */
int x, y;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		x = 1; // race: a
#pragma omp task
		x = 2; // race: b
	}
	return x + y < 0;
}
