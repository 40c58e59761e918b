/* SPDX-License-Identifier: MIT */
// threads: 2
/* Neighbouring elements belong to different members. */
int a[65];

int main(void)
{
#pragma omp parallel
#pragma omp for schedule(static, 1)
	for (int i = 0; i < 64; i++)
		a[i] = a[i + 1] + 1; // race: a b
	return 0;
}
