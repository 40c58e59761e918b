/* SPDX-License-Identifier: MIT */
/* Each team of a target region has a private array, all at one place of the stack, and
 * what they put together is a reduction. */
#include <omp.h>

int a[64];

__attribute__((noinline)) static void fill(int *to, int value)
{
	for (int i = 0; i < 16; i++)
		to[i] = value;
}

int main(void)
{
	int part[16], total = 0;

#pragma omp target teams num_teams(2) map(tofrom : a, total) private(part) \
	reduction(+ : total)
	{
		fill(part, omp_get_team_num() + 1);
		total += part[3];
#pragma omp distribute parallel for
		for (int i = 0; i < 64; i++)
			a[i] = i;
	}
	return total < 1 || a[63] != 63;
}
