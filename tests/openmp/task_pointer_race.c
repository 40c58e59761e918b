/* SPDX-License-Identifier: MIT */
/* A copy of the pointer is one more way to the same element. */
static int a[8];

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
		int *p = a;
		for (int i = 0; i < 8; i++) {
#pragma omp task firstprivate(p)
			*p += 1; // race: a b
		}
	}
	return 0;
}
