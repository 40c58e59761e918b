/* SPDX-License-Identifier: MIT */
// threads: 2
// fewer: any
/* Teams are in no order; each has one member here that writes. */
#include <omp.h>

int x;

int main(void)
{
#pragma omp teams num_teams(2) thread_limit(1)
	x = omp_get_team_num(); // race: a b
	return 0;
}
