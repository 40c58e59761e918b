/* SPDX-License-Identifier: MIT */
/* A chain of updates, and one that depends on another variable. */
int x, other;

int main(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 4; i++) {
		if (i == 2) {
#pragma omp task depend(inout : other)
			x += i + other; // race: a
			continue;
		}
#pragma omp task depend(inout : x)
		x += i; // race: b
	}
	return 0;
}
