/* SPDX-License-Identifier: MIT */
// threads: 2
// env: OMP_CANCELLATION=true
/* Points where a loop that another one cancelled is left. */
#include <omp.h>

int a[64], x;

int main(void)
{
#pragma omp parallel
#pragma omp for schedule(static, 1)
	for (int i = 0; i < 64; i++) {
		x = i; // race: a b
#pragma omp cancellation point for
		if (i == 8) {
#pragma omp cancel for
		}
	}
	return 0;
}
