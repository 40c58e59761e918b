/* SPDX-License-Identifier: MIT */
/* Two tasks, one with an atomic update, one with a plain one. */
int x;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		{
#pragma omp atomic	     // race: a
			x++; // race: a
		}
#pragma omp task
		{
			x += 2; // race: b
		}
	}
	return 0;
}
