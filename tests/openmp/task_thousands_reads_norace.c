/* SPDX-License-Identifier: MIT */
/* Thousands of tasks read the same, also a part of what others read as a whole, and one
 * that writes comes after them. */
enum { COUNT = 3000 };
static union {
	long whole[16];
	int half[32];
} table;
long sums[COUNT];

static void work(int i)
{
	sums[i] = i % 3 ? table.whole[i % 16] : table.half[i % 32];
}

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < COUNT; i++) {
#pragma omp task
			work(i);
		}
#pragma omp taskwait
		for (int i = 0; i < 16; i++)
			table.whole[i] = sums[i];
	}
	return 0;
}
