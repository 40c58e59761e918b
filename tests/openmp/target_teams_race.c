/* SPDX-License-Identifier: MIT */
/* Teams of a target region are in no order, and what one distributed loop wrote another
 * team may read in the next one. */
int a[64], total;

int main(void)
{
#pragma omp target teams num_teams(2) map(tofrom : a, total)
	{
#pragma omp distribute parallel for
		for (int i = 0; i < 64; i++)
			a[i] = i; // race: a
#pragma omp distribute
		for (int i = 0; i < 64; i++)
			a[63 - i] *= 2; // race: a b
	}
	return 0;
}
