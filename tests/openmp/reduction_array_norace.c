/* SPDX-License-Identifier: MIT */
/* Each member has a part of the histogram. */
int main(void)
{
	int counts[4] = {0};

#pragma omp parallel for schedule(static, 1) reduction(+ : counts[:4])
	for (int i = 0; i < 64; i++)
		counts[i / 16]++;
	return counts[0] != 16;
}
