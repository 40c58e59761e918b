/* SPDX-License-Identifier: MIT */
/* Tasks made in the iterations of a loop: they may outlast these. */
int a[16], x[16];

int main(void)
{
#pragma omp parallel for
	for (int i = 0; i < 16; i++) {
#pragma omp task firstprivate(i)
		a[i] = i;    // race: a
		x[i] = a[i]; // race: b
	}
	return 0;
}
