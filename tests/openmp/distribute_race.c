/* SPDX-License-Identifier: MIT */
// threads: 2
// fewer: any
/* Iterations dealt out to teams, and in these to their members: one sum. */
int a[64], x;

int main(void)
{
#pragma omp teams num_teams(1)
#pragma omp distribute parallel for  // race: a b
	for (int i = 0; i < 64; i++) // race: a b
		x += a[i];	     // race: a b
	return 0;
}
