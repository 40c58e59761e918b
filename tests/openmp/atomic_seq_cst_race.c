/* SPDX-License-Identifier: MIT */
// threads: 2
/* What comes after a sequentially consistent write is not before its reader. */
#include <omp.h>

int data, ready, seen;

int main(void)
{
#pragma omp parallel
	{
		if (omp_get_thread_num() == 0) {
#pragma omp atomic write seq_cst
			ready = 1;
			data = 1; // race: a
		} else if (omp_get_thread_num() == 1) {
			int now = 0;
			while (!now) {
#pragma omp atomic read seq_cst
				now = ready;
			}
			seen = data; // race: b
		}
	}
	return seen < 0;
}
