/* SPDX-License-Identifier: MIT */
// threads: 2
/* An update before the ordered part of the iteration. */
int x;

int main(void)
{
#pragma omp parallel for ordered schedule(static, 1)
	for (int i = 0; i < 32; i++) {
		x++; // race: a b
#pragma omp ordered
		{
		}
	}
	return 0;
}
