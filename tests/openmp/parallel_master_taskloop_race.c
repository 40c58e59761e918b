/* SPDX-License-Identifier: MIT */
/* Tasks of the first member that share a temporary. */
int a[16], x;

int main(void)
{
#pragma omp parallel master taskloop num_tasks(4) // race: a b
	for (int i = 0; i < 16; i++)		  // race: a b
		x = a[i];			  // race: a b
	return 0;
}
