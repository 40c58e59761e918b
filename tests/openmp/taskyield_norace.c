/* SPDX-License-Identifier: MIT */
/* To let others run, and to wait for them. */
int x;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		x = 1;
#pragma omp taskwait
		x += 2;
	}
	return 0;
}
