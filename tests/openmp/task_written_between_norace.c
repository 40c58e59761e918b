/* SPDX-License-Identifier: MIT */
/* Those of many tasks made at one place that do not come after a write come before it:
 * they are waited for. */
#include <omp.h>

enum { TASKS = 64 };
int x, seen[TASKS], ended;

int main(void)
{
#pragma omp parallel
	if (omp_get_thread_num() == 0) {
		for (int i = 0; i < TASKS; i++) {
			if (i == TASKS / 2) {
#pragma omp taskwait
				x = 1;
			}
#pragma omp task
			{
				seen[i] = x;
				__atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED);
			}
		}
#pragma omp taskwait
	} else {
		while (__atomic_load_n(&ended, __ATOMIC_RELAXED) < TASKS)
			;
	}
	return 0;
}
