/* SPDX-License-Identifier: MIT */
/* See benign.h. A list in the order of the calls, searched from the newest: programs
 * name a handful of such variables, and it is asked only when a race was found. */
#include "runtime/benign.h"
#include "base/lock.h"
#include "base/vec.h"

enum { WHY_MAX = 64 };

struct range {
	uintptr_t from, to;
	uint64_t hits;
	char why[WHY_MAX];
};

static struct dh_lock lock;
DH_LOCK_AROUND_FORK(lock, DH_FORK_OUTER);
static struct dh_vec(struct range) ranges; /* under lock */
static size_t count;			   /* atomic: ranges.len */
static uint64_t all_hits;		   /* under lock */

void dh_benign_add(uintptr_t addr, size_t size, const char *why)
{
	struct range r = {.from = addr, .to = addr + size};
	for (size_t i = 0; why && i < WHY_MAX - 1 && why[i]; i++)
		r.why[i] = why[i];
	if (r.to <= r.from)
		return;
	dh_lock(&lock);
	dh_vec_push(&ranges, r);
	__atomic_store_n(&count, ranges.len, __ATOMIC_RELAXED);
	dh_unlock(&lock);
}

bool dh_benign(uintptr_t addr)
{
	bool found = false;
	/* Relaxed: who races with the annotation itself may be told either way. */
	if (!__atomic_load_n(&count, __ATOMIC_RELAXED))
		return false;
	dh_lock(&lock);
	for (size_t i = ranges.len; i > 0 && !found; i--) {
		struct range *r = &ranges.at[i - 1];
		found = addr >= r->from && addr < r->to;
		r->hits += found;
	}
	all_hits += found;
	dh_unlock(&lock);
	return found;
}

void dh_benign_forget(uintptr_t addr, size_t size)
{
	if (DH_LIKELY(!__atomic_load_n(&count, __ATOMIC_RELAXED)))
		return;
	dh_lock(&lock);
	size_t kept = 0;
	for (size_t i = 0; i < ranges.len; i++)
		if (ranges.at[i].from - addr >= size)
			ranges.at[kept++] = ranges.at[i];
	ranges.len = kept;
	__atomic_store_n(&count, kept, __ATOMIC_RELAXED);
	dh_unlock(&lock);
}

void dh_benign_get_stats(struct dh_benign_stats *s)
{
	dh_lock(&lock);
	*s = (struct dh_benign_stats){.ranges = ranges.len, .hits = all_hits};
	dh_unlock(&lock);
}
