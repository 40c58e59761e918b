/* SPDX-License-Identifier: MIT */
// threads: 2
/* Waits for the iteration two before, but reads what the last one wrote. */
int a[34];

int main(void)
{
#pragma omp parallel for ordered(1) schedule(static, 1)
	for (int i = 2; i < 32; i++) {
#pragma omp ordered depend(sink : i - 2)
		a[i] = a[i - 1] + 1; // race: a b
#pragma omp ordered depend(source)
	}
	return 0;
}
