/* SPDX-License-Identifier: MIT */
// threads: 2
/* Iterations tell that they are done, and nobody waits for it. */
int a[33];

int main(void)
{
#pragma omp parallel for ordered(1) schedule(static, 1)
	for (int i = 1; i < 32; i++) {
		a[i] = a[i - 1] + 1; // race: a b
#pragma omp ordered depend(source)
	}
	return 0;
}
