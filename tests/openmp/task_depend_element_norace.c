/* SPDX-License-Identifier: MIT */
/* A chain through the elements of an array. */
int a[9];

int main(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 8; i++) {
#pragma omp task depend(in : a[i]) depend(out : a[i + 1]) firstprivate(i)
		a[i + 1] = a[i] + 1;
	}
	return a[8] != 8;
}
