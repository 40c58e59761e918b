/* SPDX-License-Identifier: MIT */
/* A tree of a thousand tasks. Each adds to its own sum what its two have made. */
int leaves[1024];

static void half(int from, int count)
{
	if (count == 1) {
		leaves[from] = from;
		return;
	}
#pragma omp task
	half(from, count / 2);
#pragma omp task
	half(from + count / 2, count / 2);
#pragma omp taskwait
	leaves[from] += leaves[from + count / 2];
}

int main(void)
{
#pragma omp parallel
#pragma omp single
	half(0, 1024);
	return 0;
}
