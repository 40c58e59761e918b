/* SPDX-License-Identifier: MIT */
/* An update in the ordered part of each iteration. */
int x;

int main(void)
{
#pragma omp parallel for ordered schedule(static, 1)
	for (int i = 0; i < 32; i++) {
#pragma omp ordered
		{
			x++;
		}
	}
	return x != 32;
}
