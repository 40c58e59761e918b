/* SPDX-License-Identifier: MIT */
/* Depends on all elements. */
int a[4], sum;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < 4; i++) {
#pragma omp task depend(out : a[i]) firstprivate(i)
			a[i] = i;
		}
#pragma omp task depend(iterator(i = 0 : 4), in : a[i])
		for (int i = 0; i < 4; i++)
			sum += a[i];
	}
	return sum != 6;
}
