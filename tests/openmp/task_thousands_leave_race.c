/* SPDX-License-Identifier: MIT */
/* Of thousands of tasks that are alike some do more: a task of their own, a critical
 * section. These order nobody else. */
enum { COUNT = 3000 };
int sums[COUNT], count, x, y;

static void work(int i)
{
	sums[i] = i;
	if (i == 300)
		x = y = i; // race: a
	if (i == 2000) {
#pragma omp task
		x++; // race: b
	}
	if (i % 500 == 499) {
#pragma omp critical
		count++;
		if (i == 2499)
			y++; // race: b
	}
}

int main(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < COUNT; i++) {
#pragma omp task
		work(i);
	}
	return 0;
}
