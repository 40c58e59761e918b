/* SPDX-License-Identifier: MIT */
/* Each member has a temporary of its own. */
#include <omp.h>

static int out[64];

int main(void)
{
	int temporary;

#pragma omp parallel private(temporary)
	{
		temporary = omp_get_thread_num();
		out[omp_get_thread_num()] = temporary;
	}
	return out[0];
}
