/* SPDX-License-Identifier: MIT */
/* Each task has a temporary of its own. */
int a[16];

int main(void)
{
	int temporary = 1;

#pragma omp parallel
#pragma omp single
#pragma omp taskloop num_tasks(4) firstprivate(temporary)
	for (int i = 0; i < 16; i++) {
		temporary = i;
		a[i] = temporary;
	}
	return 0;
}
