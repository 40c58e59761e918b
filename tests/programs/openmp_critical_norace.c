/* SPDX-License-Identifier: MIT */
// flags: -fopenmp
// skip: clang
/* Sections that one thread at a time is in, with a name and without, and an update
 * that the hardware has no instruction for. */
static long double wide;
static int x, y;

int main(void)
{
#pragma omp parallel num_threads(4)
	for (int i = 0; i < 50; i++) {
#pragma omp critical
		x++;
#pragma omp critical(second)
		y++;
#pragma omp atomic
		wide += 1;
	}
	return x != 200 || y != 200 || wide != 200;
}
