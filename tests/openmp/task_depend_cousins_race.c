/* SPDX-License-Identifier: MIT */
/* Dependences order tasks of one maker only. */
int x;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		{
#pragma omp task depend(inout : x)
			x = 1; // race: a
		}
#pragma omp task
		{
#pragma omp task depend(inout : x)
			x = 2; // race: b
		}
	}
	return 0;
}
