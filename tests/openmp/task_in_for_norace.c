/* SPDX-License-Identifier: MIT */
/* Tasks made in the iterations of a loop, waited for in each. */
int a[16], x[16];

int main(void)
{
#pragma omp parallel for
	for (int i = 0; i < 16; i++) {
#pragma omp task firstprivate(i)
		a[i] = i;
#pragma omp taskwait
		x[i] = a[i];
	}
	return 0;
}
