/* SPDX-License-Identifier: MIT */
/* Where members are bound to says nothing of their order. */
int x;

int main(void)
{
#pragma omp parallel proc_bind(spread)
	{
#pragma omp critical
		x++;
	}
	return 0;
}
