/* SPDX-License-Identifier: MIT */
/* One of many tasks writes what all read. */
int a[500], x;

int main(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 500; i++) {
#pragma omp task firstprivate(i)
		{
			if (i == 250)
				x = 1; // race: a
			else
				a[i] = x; // race: b
		}
	}
	return 0;
}
