/* SPDX-License-Identifier: MIT */
/* Two tasks share the loop. */
int x;

int main(void)
{
#pragma omp parallel
#pragma omp single
#pragma omp taskloop num_tasks(2)    // race: a b
	for (int i = 0; i < 16; i++) // race: a b
		x += i;		     // race: a b
	return 0;
}
