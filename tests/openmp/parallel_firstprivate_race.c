/* SPDX-License-Identifier: MIT */
// threads: 2
/* The pointer is copied for each member, what it points to is not. */
int main(void)
{
	int a[4] = {1, 2, 3, 4};
	int *p = a;

#pragma omp parallel firstprivate(p)
	p[0]++; // race: a b
	return a[0] < 1;
}
