/* SPDX-License-Identifier: MIT */
/* A counter of each member. */
int main(void)
{
	int count = 0;

#pragma omp parallel for firstprivate(count) schedule(static, 1)
	for (int i = 0; i < 64; i++)
		count += i;
	return count < 0;
}
