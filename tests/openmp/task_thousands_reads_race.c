/* SPDX-License-Identifier: MIT */
/* Thousands of tasks read what one of them writes. */
enum { COUNT = 3000 };
int sums[COUNT], x;

static void work(int i)
{
	if (i == 2000)
		x = 1; // race: a b
	else
		sums[i] = x; // race: a b
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
