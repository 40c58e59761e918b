/* SPDX-License-Identifier: MIT */
/* SharedSpot of the Goldilocks paper: all threads use all integers. */
#include "spot.h"

static long any(long id, uint64_t n)
{
	(void)id;
	return (long)(n % SPOTS);
}

static void work(long id)
{
	spot_turns(id, any);
}

int main(int argc, char **argv)
{
	return spot_main(argc, argv, work);
}
