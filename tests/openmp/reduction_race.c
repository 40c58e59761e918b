/* SPDX-License-Identifier: MIT */
// threads: 2
/* A sum that should have been reduced. */
int a[64];

int main(void)
{
	int sum = 0;

#pragma omp parallel for schedule(static, 1) // race: a b
	for (int i = 0; i < 64; i++)	     // race: a b
		sum += a[i] + 1;	     // race: a b
	return sum < 1;
}
