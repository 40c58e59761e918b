/* SPDX-License-Identifier: MIT */
/* A loop of so many tasks that the library has others make them: they are its children all
 * the same, for which a taskwait waits. */
int a[1000], x;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp taskloop nogroup grainsize(2)
		for (int i = 0; i < 1000; i++)
			a[i] = i;
#pragma omp taskwait
		for (int i = 0; i < 1000; i++)
			x += a[i];
	}
	return 0;
}
