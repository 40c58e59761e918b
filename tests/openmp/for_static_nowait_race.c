/* SPDX-License-Identifier: MIT */
// threads: 2
/* Two loops that deal out differently, with no barrier between them. */
int a[64], b[64];

int main(void)
{
#pragma omp parallel
	{
#pragma omp for schedule(static) nowait
		for (int i = 0; i < 64; i++)
			a[i] = i; // race: a
#pragma omp for schedule(static)
		for (int i = 0; i < 64; i++)
			b[i] = a[63 - i]; // race: b
	}
	return 0;
}
