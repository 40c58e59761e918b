/* SPDX-License-Identifier: MIT */
/* Half of many tasks that are made at one place do not come after a write. One thread runs
 * them all, with clang's library those made last first. */
#include <omp.h>

enum { TASKS = 64 };
int x, seen[TASKS], ended;

int main(void)
{
#pragma omp parallel
	if (omp_get_thread_num() == 0) {
		for (int i = 0; i < TASKS; i++) {
			if (i == TASKS / 2)
				x = 1; // race: a
#pragma omp task
			{
				seen[i] = x; // race: b
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
