/* SPDX-License-Identifier: MIT */
/* A chain of updates. */
int x, other;

int main(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 4; i++) {
#pragma omp task depend(inout : x)
		x += i;
	}
	return x != 6;
}
