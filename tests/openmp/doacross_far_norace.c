/* SPDX-License-Identifier: MIT */
/* Waits for the iteration two before, and reads what that one wrote. */
int a[34];

int main(void)
{
#pragma omp parallel for ordered(1) schedule(static, 1)
	for (int i = 2; i < 32; i++) {
#pragma omp ordered depend(sink : i - 2)
		a[i] = a[i - 2] + 1;
#pragma omp ordered depend(source)
	}
	return 0;
}
