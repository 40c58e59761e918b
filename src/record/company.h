/* SPDX-License-Identifier: MIT */
/*
 * Is there one thread only? What a thread does before it has made another, or after it
 * has joined all others, is ordered with everything that any thread does, in every
 * schedule. So accesses made alone can be left out of a trace: they race with nothing,
 * and a read that would get its value from such a write gets the initial value instead,
 * which is the same.
 *
 * One thread; allocates.
 */
#ifndef DH_RECORD_COMPANY_H
#define DH_RECORD_COMPANY_H

#include "base/map.h"
#include "runtime/observer.h"
#include "trace/ring.h"

struct dh_company {
	struct dh_map seen; /* thread -> whether it was joined */
	uint32_t others;    /* threads not joined, beside the first */
};

DH_INLINE void dh_company_add(struct dh_company *c, uint32_t thread)
{
	bool fresh;
	dh_map_put(&c->seen, thread, &fresh);
	c->others += fresh && thread != 0;
}

/* A step of synchronisation of a thread. */
DH_INLINE void dh_company_step(struct dh_company *c, uint32_t thread,
			       const struct dh_raw *r)
{
	unsigned what = dh_raw_byte(r);
	uint64_t *joined;
	if (what == DH_SEEN_START || what == DH_SEEN_FORK)
		dh_company_add(c, what == DH_SEEN_FORK ? (uint32_t)r->object : thread);
	if (what == DH_SEEN_JOIN && (joined = dh_map_get(&c->seen, r->object)) &&
	    !*joined) {
		*joined = true;
		c->others -= r->object != 0;
	}
}

#endif
