/* SPDX-License-Identifier: MIT */
// threads: 2
/* The value of the last iteration is wanted, but the variable is shared. */
int main(void)
{
	int last = 0;

#pragma omp parallel for schedule(static, 1)
	for (int i = 0; i < 64; i++)
		last = i; // race: a b
	return last < 0;
}
