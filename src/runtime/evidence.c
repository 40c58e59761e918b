/* SPDX-License-Identifier: MIT */
/*
 * See evidence.h. Granules are found through an open-addressed table that only grows, and
 * is read without the lock: it answers nearly all questions with no.
 *
 * Values: an access is told before it is made, so that what a write has written shows at
 * the next access. An access that finds the value as the write before it found it means a
 * write of the same value; another value is a step. (Another thread may come between the
 * telling and the making; it is evidence, not proof.)
 */
#include "runtime/evidence.h"
#include "base/lock.h"
#include "runtime/access.h"

enum { SLOTS = 2 * DH_EVIDENCE_RACES };

/* The last access to a granule that had a value. */
struct last {
	unsigned mask; /* 0: none */
	unsigned flags;
	uint64_t value;
	uint32_t thread, node;
};

struct watched {
	struct dh_evidence_facts facts;
	struct last last;
};

struct raced {
	uint64_t serial;
	uint32_t watched, first_site, second_site, at_first, at_second;
};

static struct dh_lock lock; /* for all that is not atomic */
DH_LOCK_AROUND_FORK(lock, DH_FORK_TABLES);

static struct watched watched[DH_EVIDENCE_RACES];
static struct raced raced[DH_EVIDENCE_RACES];
static uint32_t watched_count, raced_count;

static struct {
	uintptr_t granule; /* atomic; 0: free */
	uint32_t number;   /* in watched; written before granule */
} slots[SLOTS];

/* ---- finding ---- */

static struct watched *find(uintptr_t granule)
{
	for (uint64_t at = dh_mix(granule);; at++) {
		uintptr_t have =
		    __atomic_load_n(&slots[at % SLOTS].granule, __ATOMIC_ACQUIRE);
		if (have == granule)
			return &watched[slots[at % SLOTS].number];
		if (!have)
			return NULL;
	}
}

static void enter(uintptr_t granule, uint32_t number)
{
	uint64_t at = dh_mix(granule);
	while (slots[at % SLOTS].granule)
		at++;
	slots[at % SLOTS].number = number;
	__atomic_store_n(&slots[at % SLOTS].granule, granule, __ATOMIC_RELEASE);
}

/* ---- watching ---- */

static uint32_t watch_granule(uintptr_t granule)
{
	struct watched *have = find(granule);
	if (have)
		return (uint32_t)(have - watched);
	watched[watched_count].facts.granule = granule;
	enter(granule, watched_count);
	return watched_count++;
}

void dh_evidence_watch(uint64_t serial, uintptr_t granule, unsigned mask,
		       uint32_t first_site, uint32_t second_site)
{
	dh_lock(&lock);
	if (raced_count < DH_EVIDENCE_RACES) {
		uint32_t n = watch_granule(granule);
		watched[n].facts.mask |= mask;
		raced[raced_count++] = (struct raced){.serial = serial,
						      .watched = n,
						      .first_site = first_site,
						      .second_site = second_site};
	}
	dh_unlock(&lock);
}

bool dh_evidence_wants(uintptr_t granule)
{
	const struct watched *w = find(granule);
	return w && !__atomic_load_n(&w->facts.full, __ATOMIC_RELAXED);
}

/* ---- counting ---- */

/* False where there is no place left. */
static bool count(struct dh_evidence_count *at, int64_t what)
{
	for (int i = 0; i < DH_EVIDENCE_MOST; i++) {
		if (!at[i].count)
			at[i].what = what;
		if (at[i].what != what)
			continue;
		at[i].count++;
		return true;
	}
	return false;
}

static void count_thread(struct dh_evidence_facts *f, uint32_t id)
{
	for (uint32_t i = 0; i < f->thread_count; i++)
		if (f->threads[i] == id)
			return;
	if (f->thread_count < DH_EVIDENCE_MOST)
		f->threads[f->thread_count++] = id;
}

bool (*dh_evidence_readable)(uintptr_t address);

/* The bytes of the mask as a signed number; false where they are no integer, or not to be
 * looked at. */
static bool value_at(uintptr_t granule, unsigned mask, int64_t *value)
{
	unsigned off = (unsigned)__builtin_ctz(mask);
	unsigned size = (unsigned)__builtin_popcount(mask);
	const volatile char *at = (const volatile char *)granule + off;
	if (dh_mask_of(off, size) != mask || off % size || (size & (size - 1)) ||
	    (dh_evidence_readable && !dh_evidence_readable((uintptr_t)at)))
		return false;
	switch (__builtin_popcount(mask)) {
	case 1:
		*value = *(const volatile int8_t *)at;
		return true;
	case 2:
		*value = *(const volatile int16_t *)at;
		return true;
	case 4:
		*value = *(const volatile int32_t *)at;
		return true;
	default:
		*value = *(const volatile int64_t *)at;
		return true;
	}
}

/* What has happened to the value since the last access. */
static void compare(struct watched *w, unsigned mask, int64_t now)
{
	const struct last *l = &w->last;
	uint64_t by = (uint64_t)now - l->value;
	if (l->mask != mask)
		return;
	if (by)
		w->facts.other_steps += !count(w->facts.steps, (int64_t)by);
	else if ((l->flags & (DH_ACCESS_WRITE | DH_ACCESS_ATOMIC)) == DH_ACCESS_WRITE)
		w->facts.same_value++;
}

static void count_access(struct watched *w, const struct dh_self *t, unsigned mask,
			 unsigned flags, uint32_t site)
{
	struct dh_evidence_facts *f = &w->facts;
	const struct dh_thread_state *s = t->state;
	uint32_t node = site ? dh_site_node(dh_contexts, site) : 0;
	struct last *l = &w->last;
	int64_t value;
	f->accesses++;
	*(flags & DH_ACCESS_WRITE ? &f->writes : &f->reads) += 1;
	f->atomics += (flags & DH_ACCESS_ATOMIC) != 0;
	f->unlocked += !s->held_count;
	for (uint32_t i = 0; i < s->held_count; i++)
		count(f->locks, (int64_t)s->held[i].lock);
	count_thread(f, s->info->id);
	if ((flags & DH_ACCESS_WRITE) && l->mask == mask &&
	    !(l->flags & DH_ACCESS_WRITE) && l->thread == s->info->id && l->node == node)
		f->read_then_write++;
	if ((flags & DH_ACCESS_FREE) || !value_at(f->granule, mask, &value)) {
		l->mask = 0;
		return;
	}
	compare(w, mask, value);
	*l = (struct last){mask, flags, (uint64_t)value, s->info->id, node};
}

bool dh_evidence_access(struct dh_self *t, uintptr_t granule, unsigned mask,
			unsigned flags, uint64_t pc)
{
	struct watched *w = find(granule);
	if (!w)
		return false;
	uint32_t site = dh_thread_site(t, pc);
	dh_lock(&lock);
	if (!w->facts.full && (w->facts.mask & mask)) {
		count_access(w, t, mask, flags, site);
		for (uint32_t i = 0; i < raced_count; i++) {
			if (&watched[raced[i].watched] != w)
				continue;
			raced[i].at_first += raced[i].first_site == site;
			raced[i].at_second += raced[i].second_site == site;
		}
		w->facts.full = w->facts.accesses == DH_EVIDENCE_ACCESSES;
	}
	bool more = !w->facts.full;
	dh_unlock(&lock);
	return more;
}

/* ---- the end ---- */

static void sort(struct dh_evidence_count *at)
{
	for (int i = 1; i < DH_EVIDENCE_MOST; i++)
		for (int k = i; k > 0 && at[k].count > at[k - 1].count; k--) {
			struct dh_evidence_count less = at[k - 1];
			at[k - 1] = at[k];
			at[k] = less;
		}
}

bool dh_evidence_get(uint32_t i, struct dh_evidence *out)
{
	dh_lock(&lock);
	bool there = i < raced_count;
	if (there)
		*out = (struct dh_evidence){.serial = raced[i].serial,
					    .first_site = raced[i].first_site,
					    .second_site = raced[i].second_site,
					    .at_first = raced[i].at_first,
					    .at_second = raced[i].at_second,
					    .facts = watched[raced[i].watched].facts};
	dh_unlock(&lock);
	if (there) {
		sort(out->facts.locks);
		sort(out->facts.steps);
	}
	return there;
}

void dh_evidence_forget(void)
{
	dh_zero(watched, sizeof watched);
	dh_zero(slots, sizeof slots);
	watched_count = raced_count = 0;
}
