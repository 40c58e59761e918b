/* SPDX-License-Identifier: MIT */
/* Depends on another element than the one it reads. */
int a[9];

int main(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 8; i++) {
#pragma omp task depend(in : a[0]) depend(out : a[i + 1]) firstprivate(i)
		a[i + 1] = a[i] + 1; // race: a b
	}
	return 0;
}
