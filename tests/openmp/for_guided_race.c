/* SPDX-License-Identifier: MIT */
// threads: 2
// fewer: any
/* Chunks that get smaller. */
#include <omp.h>
#include "../programs/invisible.h"

static invisible_step_t chunks; /* that members have begun */
int x;

int main(void)
{
#pragma omp parallel
	{
		int begun = 0;
#pragma omp for schedule(guided, 1)
		for (int i = 0; i < 64; i++) {
			if (!begun++ && omp_get_num_threads() > 1) {
				invisible_advance(&chunks);
				invisible_await(&chunks, 2);
			}
			x += i; // race: a b
		}
	}
	return 0;
}
