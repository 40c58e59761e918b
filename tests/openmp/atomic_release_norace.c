/* SPDX-License-Identifier: MIT */
/* A message: written with release, awaited with acquire. */
#include <omp.h>

int data, ready, seen;

int main(void)
{
#pragma omp parallel
	{
		if (omp_get_thread_num() == 0) {
			data = 1;
#pragma omp atomic write release
			ready = 1;
		} else if (omp_get_thread_num() == 1) {
			int now = 0;
			while (!now) {
#pragma omp atomic read acquire
				now = ready;
			}
			seen = data;
		}
	}
	return seen < 0;
}
