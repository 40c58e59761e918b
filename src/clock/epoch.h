/* SPDX-License-Identifier: MIT */
/*
 * An epoch names a time frame of a thread: which slot of the vector clocks it
 * has, and the value of its scalar clock. Stored with an access it answers, for
 * either happens-before relation, whether the access is ordered before another
 * thread's next step (see order.h). Clocks start at 1, so the epoch 0 is "never".
 */
#ifndef DH_CLOCK_EPOCH_H
#define DH_CLOCK_EPOCH_H

#include "base/base.h"

typedef uint64_t dh_epoch;
_Static_assert(sizeof(dh_epoch) == 8, "an epoch is one word");

#define DH_EPOCH_NONE   ((dh_epoch)0)
#define DH_EPOCH_SHARED (~(dh_epoch)0) /* a tag for "see elsewhere"; no real epoch */
#define DH_CLOCK_MAX    (UINT32_MAX - 1)

DH_INLINE dh_epoch dh_epoch_make(uint32_t slot, uint32_t clock)
{
	return (dh_epoch)slot << 32 | clock;
}

DH_INLINE uint32_t dh_epoch_slot(dh_epoch e)
{
	return (uint32_t)(e >> 32);
}

DH_INLINE uint32_t dh_epoch_clock(dh_epoch e)
{
	return (uint32_t)e;
}

#endif
