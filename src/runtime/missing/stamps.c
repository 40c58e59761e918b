/* SPDX-License-Identifier: MIT */
/* Writes, as reach.h tells objects that may have changed by them. An object that was
 * looked at at time S is as it was if none of its lines has a stamp of S or later. */
#include "runtime/missing/reach.h"

uint32_t dh_stamps[1 << DH_STAMP_BITS];
uint32_t dh_stamp_now;

/* What the thread was about to write last. */
static __thread struct dh_reached pending __attribute__((tls_model("initial-exec")));

/* Relaxed: who looks at the object after the write is ordered after it by the program, or
 * races with it. */
static void stamp(uintptr_t addr, size_t size, uint32_t now)
{
	uintptr_t line = addr >> DH_STAMP_LINE_BITS;
	uintptr_t last = (addr + size - 1) >> DH_STAMP_LINE_BITS;
	last = DH_MIN(last, line + (1 << DH_STAMP_BITS)); /* then all may be in it */
	for (; line <= last; line++) {
		uint32_t *s = dh_stamp_of(line);
		if (__atomic_load_n(s, __ATOMIC_RELAXED) != now)
			__atomic_store_n(s, now, __ATOMIC_RELAXED);
	}
}

void dh_reach_settle(void)
{
	uint32_t now = __atomic_load_n(&dh_stamp_now, __ATOMIC_RELAXED);
	if (pending.size)
		stamp(pending.start, pending.size, now);
	pending.size = 0;
}

void dh_reach_written(uintptr_t addr, size_t size)
{
	uint32_t now = __atomic_load_n(&dh_stamp_now, __ATOMIC_RELAXED);
	if (!now || !size)
		return;
	dh_reach_settle();
	stamp(addr, size, now);
	pending = (struct dh_reached){addr, size};
}
