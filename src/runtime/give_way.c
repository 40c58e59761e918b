/* SPDX-License-Identifier: MIT */
/* Standing aside for others; see give_way.h. */
#include "runtime/give_way.h"
#include "base/lock.h"
#include "runtime/intercept/watch.h"

enum { /* pauses, of some 25 nanoseconds each */
	BEGUN = 8, /* what was under way is over then */
	UNTIL_SEEN = 16,
	ALL = 100,
};

/* All that is near it counts: it is in the same line of the cache. */
static uint64_t value_near(uintptr_t addr)
{
	return __atomic_load_n((const uint64_t *)(addr & ~(uintptr_t)7), __ATOMIC_RELAXED);
}

static void pauses(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		dh_breathe();
}

DH_COLD void dh_give_way(uintptr_t addr)
{
	struct dh_self *t = dh_watched();
	if (!t || !dh_patience_has(&t->state->giving_way))
		return;
	pauses(BEGUN);
	uint64_t before = value_near(addr);
	pauses(UNTIL_SEEN);
	bool changes = value_near(addr) != before;
	dh_patience_note(&t->state->giving_way, changes);
	if (changes)
		pauses(ALL - UNTIL_SEEN - BEGUN);
}
