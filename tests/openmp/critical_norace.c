/* SPDX-License-Identifier: MIT */
/* All accesses are in critical sections without a name: these exclude each other. */
int x;

int main(void)
{
#pragma omp parallel
	{
#pragma omp critical
		x++;
#pragma omp critical
		x += 2;
	}
	return 0;
}
