/* SPDX-License-Identifier: MIT */
// threads: 2
/* One block's last iteration reads the first element of the next block. */
int a[65], b[65];

int main(void)
{
#pragma omp parallel
	{
#pragma omp for schedule(static)
		for (int i = 0; i < 64; i++)
			a[i] = a[i + 1] + 1; // race: a b
#pragma omp for schedule(static)
		for (int i = 0; i < 64; i++)
			b[i] = a[63 - i];
	}
	return 0;
}
