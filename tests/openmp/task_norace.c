/* SPDX-License-Identifier: MIT */
/* Two tasks with a variable each. */
int x, y;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		x = 1;
#pragma omp task
		y = 2;
	}
	return x + y < 0;
}
