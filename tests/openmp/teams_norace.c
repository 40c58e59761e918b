/* SPDX-License-Identifier: MIT */
/* Each team has an element of its own. */
#include <omp.h>

static int x[64];

int main(void)
{
#pragma omp teams num_teams(2) thread_limit(1)
	x[omp_get_team_num()] = 1;
	return 0;
}
