/* SPDX-License-Identifier: MIT */
/* Tasks of one maker: dependences order them. */
int x;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task depend(inout : x)
		x = 1;
#pragma omp task depend(inout : x)
		x = 2;
	}
	return 0;
}
