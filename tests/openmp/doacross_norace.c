/* SPDX-License-Identifier: MIT */
/* Each iteration waits for the one before it. */
int a[33];

int main(void)
{
#pragma omp parallel for ordered(1) schedule(static, 1)
	for (int i = 1; i < 32; i++) {
#pragma omp ordered depend(sink : i - 1)
		a[i] = a[i - 1] + 1;
#pragma omp ordered depend(source)
	}
	return a[31] != 31;
}
