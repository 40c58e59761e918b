/* SPDX-License-Identifier: MIT */
/* Parts of several kinds. */
int main(void)
{
	int count = 0, all = 1;

#pragma omp parallel reduction(+ : count) reduction(&& : all)
	{
		count++;
		all = all && count == 1;
	}
	return count < 1 || !all;
}
