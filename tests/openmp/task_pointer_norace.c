/* SPDX-License-Identifier: MIT */
/* A copy of the pointer for each task, to elements of their own. */
static int a[8];

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
		int *p = a;
		for (int i = 0; i < 8; i++) {
#pragma omp task firstprivate(p)
			*p += 1;
			p++;
		}
	}
	return 0;
}
