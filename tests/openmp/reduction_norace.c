/* SPDX-License-Identifier: MIT */
/* Each member has a part of the sum. */
int a[64];

int main(void)
{
	int sum = 0;

#pragma omp parallel for schedule(static, 1) reduction(+ : sum)
	for (int i = 0; i < 64; i++)
		sum += a[i] + 1;
	return sum != 64;
}
