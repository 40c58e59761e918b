/* SPDX-License-Identifier: MIT */
/* A hint on how to lock. */
#include <omp.h>

int x;

int main(void)
{
#pragma omp parallel
	{
#pragma omp critical(hinted) hint(omp_sync_hint_contended)
		x++;
	}
	return 0;
}
