/* SPDX-License-Identifier: MIT */
/* A flush with release before a relaxed write; one with acquire after the read. */
#include <omp.h>

int data, ready, seen;

int main(void)
{
#pragma omp parallel
	{
		if (omp_get_thread_num() == 0) {
			data = 1;
#pragma omp flush release
#pragma omp atomic write relaxed
			ready = 1;
		} else if (omp_get_thread_num() == 1) {
			int now = 0;
			while (!now) {
#pragma omp atomic read relaxed
				now = ready;
			}
#pragma omp flush acquire
			seen = data;
		}
	}
	return seen < 0;
}
