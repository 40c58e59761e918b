/* SPDX-License-Identifier: MIT */
// threads: 2
/* The message is awaited with a relaxed read: that orders nothing. */
#include <omp.h>

int data, ready, seen;

int main(void)
{
#pragma omp parallel
	{
		if (omp_get_thread_num() == 0) {
			data = 1; // race: a
#pragma omp atomic write release
			ready = 1;
		} else if (omp_get_thread_num() == 1) {
			int now = 0;
			while (!now) {
#pragma omp atomic read relaxed
				now = ready;
			}
			seen = data; // race: b
		}
	}
	return seen < 0;
}
