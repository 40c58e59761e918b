/* SPDX-License-Identifier: MIT */
// flags: -fopenmp
// skip: clang
/* The barriers at the end of loops of all schedules, of sections and of `single`. */
static int a[64], b, c, d;

int main(void)
{
#pragma omp parallel num_threads(4)
	{
#pragma omp for schedule(dynamic, 3)
		for (int i = 0; i < 64; i++)
			a[i] = i;
#pragma omp for schedule(guided)
		for (int i = 0; i < 64; i++)
			a[63 - i] += a[63 - i];
#pragma omp for schedule(runtime)
		for (int i = 0; i < 64; i++)
			a[(i + 7) % 64]++;
#pragma omp sections
		{
#pragma omp section
			b = a[0];
#pragma omp section
			c = a[1];
		}
#pragma omp single
		d = b + c;
#pragma omp for
		for (int i = 0; i < 64; i++)
			a[i] += d;
	}
	return a[0] != 5;
}
