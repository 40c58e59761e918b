/* SPDX-License-Identifier: MIT */
/* Iterations dealt out to teams, and in these to their members. */
int a[64], x;

int main(void)
{
#pragma omp teams num_teams(1)
#pragma omp distribute parallel for
	for (int i = 0; i < 64; i++)
		a[i] = x;
	return 0;
}
