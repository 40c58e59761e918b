/* SPDX-License-Identifier: MIT */
// threads: 2
/* Its own part is each member's, the other variable is not. */
int main(void)
{
	int count = 0, all = 1;
	int other = 0;

#pragma omp parallel reduction(+ : count) reduction(&& : all)
	{
		count++;
		all = all && count == 1;
		other++; // race: a b
	}
	return other < 0;
}
