/* SPDX-License-Identifier: MIT */
/* A position that is computed from the iteration. */
int a[64];

int main(void)
{
	int at = 0;

#pragma omp parallel for schedule(static, 1) linear(at : 1)
	for (int i = 0; i < 64; i++) {
		a[at] = i;
		at = at + 1;
	}
	return at < 0;
}
