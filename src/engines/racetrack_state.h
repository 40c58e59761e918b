/* SPDX-License-Identifier: MIT */
/*
 * The state of a variable in RaceTrack's adaptive machine, packed into two 32-bit
 * words as in Figure 6 of the paper, which are kept as one 64-bit value so that one
 * compare-and-swap replaces both.
 *
 *   word 1 (low half)    3 bits state, 29 bits info
 *   word 2 (high half)   32 bits extra
 *
 *   state            info                    extra
 *   Virgin           0                       0
 *   Exclusive0       thread id               0
 *   Exclusive1       slot of S_x's label     clock of S_x's label
 *   Shared-Read      C_x, a lockset          0
 *   Shared-Modify1   C_x, a lockset          0
 *   Exclusive2       slot of S_x's label     clock of S_x's label
 *   Shared-Modify2   C_x, a lockset          S_x, a threadset
 *   Report-Race      thread id               0
 *
 * The paper writes Virgin as Exclusive0 with no thread. Eight states fit three bits,
 * so here it has a code of its own, and all zero is Virgin.
 *
 * Used by engine `racetrack` and its tests. Plain arithmetic: any context.
 */
#ifndef DH_ENGINES_RACETRACK_STATE_H
#define DH_ENGINES_RACETRACK_STATE_H

#include "base/base.h"

enum dh_racetrack_state {
	DH_RACETRACK_VIRGIN,
	DH_RACETRACK_EXCLUSIVE0,
	DH_RACETRACK_EXCLUSIVE1,
	DH_RACETRACK_SHARED_READ,
	DH_RACETRACK_SHARED_MODIFY1,
	DH_RACETRACK_EXCLUSIVE2,
	DH_RACETRACK_SHARED_MODIFY2,
	DH_RACETRACK_REPORT_RACE,
	DH_RACETRACK_STATES
};

#define DH_RACETRACK_STATE_BITS 3
#define DH_RACETRACK_INFO_BITS	29
#define DH_RACETRACK_INFO_MAX	((uint32_t)(1u << DH_RACETRACK_INFO_BITS) - 1)

typedef uint64_t dh_racetrack_words;
_Static_assert(sizeof(dh_racetrack_words) == 8, "two words, swapped as one");
_Static_assert(DH_RACETRACK_STATE_BITS + DH_RACETRACK_INFO_BITS == 32, "word 1 is full");
_Static_assert(DH_RACETRACK_STATES <= 1 << DH_RACETRACK_STATE_BITS, "states fit");
_Static_assert(DH_RACETRACK_VIRGIN == 0, "a zeroed cell was never accessed");

/* info must not exceed DH_RACETRACK_INFO_MAX. */
DH_INLINE dh_racetrack_words dh_racetrack_pack(enum dh_racetrack_state state,
					       uint32_t info, uint32_t extra)
{
	DH_ASSERT(info <= DH_RACETRACK_INFO_MAX);
	return (uint64_t)extra << 32 | info << DH_RACETRACK_STATE_BITS | state;
}

DH_INLINE enum dh_racetrack_state dh_racetrack_state(dh_racetrack_words w)
{
	return (enum dh_racetrack_state)(w & ((1u << DH_RACETRACK_STATE_BITS) - 1));
}

DH_INLINE uint32_t dh_racetrack_info(dh_racetrack_words w)
{
	return (uint32_t)w >> DH_RACETRACK_STATE_BITS;
}

DH_INLINE uint32_t dh_racetrack_extra(dh_racetrack_words w)
{
	return (uint32_t)(w >> 32);
}

#endif
