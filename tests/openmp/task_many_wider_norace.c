/* SPDX-License-Identifier: MIT */
/* Of many tasks most read a half of a number; the last reads all, and writes a half. */
enum { COUNT = 500, FIRST = 10 };

union {
	long all;
	int half[2];
} number;
long sums[COUNT];

static void work(int i)
{
	if (i < FIRST) {
		sums[i] = i;
	} else if (i < COUNT - 1) {
		sums[i] = number.half[0];
	} else {
		sums[i] = number.all;
		number.half[1] = 1;
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
