/* SPDX-License-Identifier: MIT */
/* Two of thousands of tasks that nothing orders, far apart. */
enum { COUNT = 5000 };
int sums[COUNT], x;

static void work(int i)
{
	sums[i] = i;
	if (i == 300 || i == 4000)
		x = i; // race: a b
}

int main(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < COUNT; i++) {
#pragma omp task
		work(i);
	}
	return sums[COUNT - 1] != COUNT - 1;
}
