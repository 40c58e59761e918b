/* SPDX-License-Identifier: MIT */
/* LocalSpot of the Goldilocks paper: as SharedSpot, but each integer is used by one
 * thread alone (which locks all the same). */
#include "spot.h"

static long own(long id, uint64_t n)
{
	uint64_t each = (uint64_t)(kernel_last(SPOTS, id) - kernel_first(SPOTS, id));

	return kernel_first(SPOTS, id) + (long)(n % each);
}

static void work(long id)
{
	spot_turns(id, own);
}

int main(int argc, char **argv)
{
	return spot_main(argc, argv, work);
}
