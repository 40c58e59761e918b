/* SPDX-License-Identifier: MIT */
// threads: 2
/* A hint on how to lock, and an access without the lock. */
#include <omp.h>

int x;
static int low;

int main(void)
{
#pragma omp parallel
	{
#pragma omp critical(hinted) hint(omp_sync_hint_contended)
		x++;	   // race: a
		if (x < 0) // race: b
			low = 1;
	}
	return low;
}
