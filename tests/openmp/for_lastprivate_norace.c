/* SPDX-License-Identifier: MIT */
/* The value of the last iteration. */
int main(void)
{
	int last = 0;

#pragma omp parallel for schedule(static, 1) lastprivate(last)
	for (int i = 0; i < 64; i++)
		last = i;
	return last != 63;
}
