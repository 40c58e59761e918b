/* SPDX-License-Identifier: MIT */
/* What a reader has announced is not freed before it says that it is done. */
#include <sched.h>
#include <stdlib.h>
#include "threads.h"

static _Atomic(int *) current, announced;
int sum;

static void replace(void)
{
	for (int i = 0; i < 100; i++) {
		int *fresh = malloc(sizeof *fresh);
		*fresh = i;
		int *old = atomic_exchange(&current, fresh);
		while (atomic_load(&announced) == old)
			sched_yield();
		*old = -1;
		free(old);
	}
}

static void look(void)
{
	for (int i = 0; i < 100; i++) {
		int *p = atomic_load(&current), *again;
		for (;; p = again) {
			atomic_store(&announced, p);
			again = atomic_load(&current);
			if (again == p)
				break;
		}
		sum += *p;
		atomic_store(&announced, NULL);
	}
}

int main(void)
{
	atomic_store(&current, calloc(1, sizeof(int)));
	run_threads(2, replace, look);
	free(atomic_load(&current));
	return sum < 0;
}
