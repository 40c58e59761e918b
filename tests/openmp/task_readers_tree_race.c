/* SPDX-License-Identifier: MIT */
/* Two tasks, and tasks of theirs, read; one task of the second nobody waits for but the end
 * of the region. */
int x, seen[4];

static void reader(int at, int waits)
{
	seen[at] = x;
#pragma omp task
	seen[at + 1] = x; // race: a
	if (waits) {
#pragma omp taskwait
	}
}

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		reader(0, 1);
#pragma omp task
		reader(2, 0);
#pragma omp taskwait
		x = 1; // race: b
	}
	return 0;
}
