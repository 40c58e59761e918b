/* SPDX-License-Identifier: MIT */
// threads: 2
/* Where members are bound to says nothing of their order. */
int x;

int main(void)
{
#pragma omp parallel proc_bind(spread)
	{
		x++; // race: a b
	}
	return 0;
}
