/* SPDX-License-Identifier: MIT */
/*
 * The engines that find nothing: `null` does nothing with what it is told, `count` counts
 * it. They show what the way from the program to an engine costs, and what comes along
 * it.
 */
#include "runtime/access.h"
#include "runtime/missing/reach.h"
#include "runtime/observer.h"
#include "runtime/report.h"

static void ignore_access(struct dh_self *t, uintptr_t addr, size_t size, unsigned flags,
			  uint64_t pc)
{
	(void)t, (void)addr, (void)size, (void)flags, (void)pc;
}

const struct dh_observer dh_observer_null = {
    .name = "null",
    .access = ignore_access,
};

/* ---- count ---- */

static uint64_t reads, writes, atomics, bytes, allocs, frees; /* atomic */
static uint64_t seen[DH_SEEN_KINDS];			      /* atomic */
static uint64_t begins, ends, reached;			      /* atomic */

static void add(uint64_t *counter, uint64_t n)
{
	__atomic_fetch_add(counter, n, __ATOMIC_RELAXED);
}

static void count_access(struct dh_self *t, uintptr_t addr, size_t size, unsigned flags,
			 uint64_t pc)
{
	(void)t, (void)addr, (void)pc;
	if (flags & DH_ACCESS_ATOMIC)
		add(&atomics, 1);
	else
		add(flags & DH_ACCESS_WRITE ? &writes : &reads, 1);
	add(&bytes, size);
}

static void count_sync(struct dh_self *t, enum dh_observed what, uintptr_t object,
		       uint64_t pc)
{
	(void)t, (void)object, (void)pc;
	add(&seen[what], 1);
}

static void count_alloc(struct dh_self *t, uintptr_t base, size_t size, uint32_t site)
{
	(void)t, (void)base, (void)size, (void)site;
	add(&allocs, 1);
}

static void count_free(struct dh_self *t, uintptr_t base, size_t size, uint32_t site,
		       uint64_t pc)
{
	(void)t, (void)base, (void)size, (void)site, (void)pc;
	add(&frees, 1);
}

static void count_begin(struct dh_self *t, const char *name, uint64_t pc,
			const struct dh_reach *reach)
{
	(void)t, (void)name, (void)pc;
	add(&begins, 1);
	add(&reached, reach->len);
}

static void count_end(struct dh_self *t, const char *name, uint64_t pc,
		      const struct dh_reach *reach)
{
	(void)t, (void)name, (void)pc, (void)reach;
	add(&ends, 1);
}

static size_t counters(struct dh_report_counter *room, size_t max)
{
	const struct dh_report_counter all[] = {
	    {"seen_reads", reads, false},
	    {"seen_writes", writes, false},
	    {"seen_atomics", atomics, false},
	    {"seen_bytes", bytes, false},
	    {"seen_locks", seen[DH_SEEN_LOCK] + seen[DH_SEEN_READ_LOCK], false},
	    {"seen_unlocks", seen[DH_SEEN_UNLOCK] + seen[DH_SEEN_READ_UNLOCK], false},
	    {"seen_sends", seen[DH_SEEN_SEND], false},
	    {"seen_receives", seen[DH_SEEN_RECEIVE], false},
	    {"seen_barriers", seen[DH_SEEN_BARRIER_ENTER], false},
	    {"seen_fences", seen[DH_SEEN_FENCE], false},
	    {"seen_starts", seen[DH_SEEN_START], false},
	    {"seen_joins", seen[DH_SEEN_JOIN], false},
	    {"seen_allocs", allocs, false},
	    {"seen_frees", frees, false},
	    {"seen_missing_begins", begins, false},
	    {"seen_missing_ends", ends, false},
	    {"seen_missing_reached", reached, false},
	};
	size_t n = DH_MIN(max, DH_ARRAY_LEN(all));
	dh_copy(room, all, n * sizeof *all);
	return n;
}

const struct dh_observer dh_observer_count = {
    .name = "count",
    .access = count_access,
    .sync = count_sync,
    .alloc = count_alloc,
    .free = count_free,
    .missing_begin = count_begin,
    .missing_end = count_end,
    .counters = counters,
};
