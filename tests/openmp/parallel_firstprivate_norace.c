/* SPDX-License-Identifier: MIT */
/* An array is copied for each member. */
int main(void)
{
	int a[4] = {1, 2, 3, 4};

#pragma omp parallel firstprivate(a)
	a[0]++;
	return a[0] < 1;
}
