/* SPDX-License-Identifier: MIT */
/* The tasks share a temporary. */
int a[16];

int main(void)
{
	int temporary = 1;

#pragma omp parallel
#pragma omp single
#pragma omp taskloop num_tasks(4) shared(temporary)
	for (int i = 0; i < 16; i++) {
		temporary = i;	  // race: a b
		a[i] = temporary; // race: a b
	}
	return 0;
}
