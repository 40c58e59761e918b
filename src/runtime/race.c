/* SPDX-License-Identifier: MIT */
/*
 * See race.h. A pair of sites, with what each did there, is reported once, whichever
 * came first: a set of 64-bit keys,
 *
 *   63    60 59    48 47       24 23        0
 *   [ grade ][ kinds ][ greater  ][ lesser   ]   kinds: flags of either side
 *
 * as a chain of open-addressed tables, each twice the size of the one before. Keys are
 * put in by compare-and-swap and never leave; so of several threads that find the same
 * race at the same time one reports it.
 */
#include "runtime/race.h"
#include "base/mem.h"
#include "report/wire.h"
#include "runtime/access.h"
#include "runtime/debugger.h"
#include "runtime/evidence.h"
#include "runtime/fds.h"
#include "runtime/faults.h"
#include "runtime/findings.h"
#include "runtime/flags.h"
#include "runtime/heap.h"
#include "runtime/hooks.h"
#include "runtime/labels.h"
#include "runtime/lock_log.h"
#include "runtime/observer.h"
#include "runtime/openmp/memory.h"
#include "runtime/report.h"
#include "runtime/roomy.h"
#include "runtime/stacks.h"
#include "runtime/text.h"
#include "runtime/untracked.h"
#include "runtime/vectors.h"

enum { FIRST_SLOTS = 1 << 12, KIND_BITS = 5, GRADE_SHIFT = 60 };

struct table {
	struct table *next;  /* atomic */
	uint32_t mask, used; /* used: atomic */
	uint64_t keys[];     /* atomic; 0 is free */
};

static struct table *tables; /* atomic */
static uint64_t total;	     /* atomic */

/* ---- once each ---- */

static struct table *table_after(struct table **place, uint32_t slots)
{
	struct table *have = __atomic_load_n(place, __ATOMIC_ACQUIRE);
	if (have)
		return have;
	size_t bytes = sizeof *have + slots * sizeof have->keys[0];
	struct table *fresh = dh_mem_alloc(bytes);
	fresh->mask = slots - 1;
	if (__atomic_compare_exchange_n(place, &have, fresh, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return fresh;
	dh_mem_free(fresh, bytes);
	return have;
}

/* The place of the key, or the free one for it; *have is what it holds. */
static uint64_t *place_of(struct table *t, uint64_t key, uint64_t *have)
{
	uint32_t at = (uint32_t)dh_mix(key) & t->mask;
	/* Relaxed: a key says all there is to know. */
	while ((*have = __atomic_load_n(&t->keys[at], __ATOMIC_RELAXED)) && *have != key)
		at = (at + 1) & t->mask;
	return &t->keys[at];
}

/* Finds the key or a place for it; *new is true where this call has put it there. False
 * where it is not in the table and the table is full. */
static bool put(struct table *t, uint64_t key, bool *new)
{
	for (;;) {
		uint64_t have, *place = place_of(t, key, &have);
		if (have)
			return true;
		if (__atomic_load_n(&t->used, __ATOMIC_RELAXED) > t->mask / 4 * 3)
			return false;
		if (__atomic_compare_exchange_n(place, &have, key, false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
			__atomic_fetch_add(&t->used, 1, __ATOMIC_RELAXED);
			return *new = true;
		}
	}
}

static bool is_new(uint64_t key)
{
	bool new = false;
	struct table **place = &tables;
	for (uint32_t slots = FIRST_SLOTS;; slots *= 2) {
		struct table *t = table_after(place, slots);
		if (put(t, key, &new))
			return new;
		place = &t->next;
	}
}

/* Was the key put there before? */
static bool is_told(uint64_t key)
{
	uint64_t have = 0;
	for (struct table *t = __atomic_load_n(&tables, __ATOMIC_ACQUIRE); t && !have;
	     t = __atomic_load_n(&t->next, __ATOMIC_ACQUIRE))
		place_of(t, key, &have);
	return have;
}

static uint64_t key_of(const struct dh_race_facts *f)
{
	const struct dh_race_side *a = &f->second, *b = &f->first;
	bool swap = a->site != b->site ? a->site > b->site : a->flags > b->flags;
	const struct dh_race_side *less = swap ? b : a, *more = swap ? a : b;
	uint64_t kinds = 1 + (more->flags << KIND_BITS | less->flags);
	return (uint64_t)f->grade << GRADE_SHIFT | kinds << (2 * DH_SITE_BITS) |
	       (uint64_t)more->site << DH_SITE_BITS | less->site;
}

/* ---- facts ---- */

static void place(struct dh_race_side *s, uintptr_t granule, unsigned mask)
{
	s->address = granule + (unsigned)__builtin_ctz(mask);
	s->size = (unsigned)__builtin_popcount(mask);
}

static unsigned flags_of(unsigned access_flags)
{
	unsigned flags = 0;
	if (access_flags & DH_ACCESS_WRITE)
		flags |= DH_WIRE_WRITE;
	if (access_flags & DH_ACCESS_ATOMIC)
		flags |= DH_WIRE_ATOMIC;
	if (access_flags & DH_ACCESS_FREE)
		flags |= DH_WIRE_FREE;
	return flags;
}

/* The record of an access does not say that it was the free of the block; the block
 * does, if it was at the same place by the same thread. */
static void recognise_free(struct dh_race_facts *f)
{
	const struct dh_thread_info *by = f->first.thread;
	if (f->in_heap && f->block.freed && (f->first.flags & DH_WIRE_WRITE) &&
	    f->first.site == f->block.free_site && by && by->id == f->block.free_thread)
		f->first.flags |= DH_WIRE_FREE;
}

static void find_object(struct dh_race_facts *f)
{
	f->in_heap = dh_heap_find(f->address, &f->block);
	if (!f->in_heap && !dh_thread_local_find(f->address, &f->local))
		f->stack_owner = dh_stack_owner(f->address);
}

/* What stands for a file descriptor has its name. */
static const char *descriptor_at(struct dh_text *name, uintptr_t address)
{
	int fd = dh_fd_at(address);
	if (fd >= 0) {
		dh_text_add(name, "file descriptor ");
		dh_text_number(name, (uint64_t)fd);
	}
	return dh_text_c(name);
}

/* What the two did not bring along. The answer belongs to the caller. */
static void fill(struct dh_self *t, struct dh_race_facts *f,
		 struct dh_lock_log_answer *held)
{
	struct dh_thread_info *me = dh_thread_by_id(t->state->who);
	me->os_id = t->state->info->os_id; /* of tasks: the one that is in this */
	if (!f->second.thread || f->second.thread == t->state->info) {
		f->second.thread = me;
		f->locks = t->state->held;
		f->lock_count = t->state->held_count;
		f->locks_lost = t->state->held_lost;
	}
	find_object(f);
	recognise_free(f);
	if (f->first_slot &&
	    dh_lock_log_find(f->first_slot, f->first_clock, f->first.site, held))
		f->earlier = held;
}

/* From now on, who uses it and how. */
static void watch(const struct dh_race_facts *f)
{
	unsigned first = f->address & 7, mask = ((1u << f->size) - 1) << first;
	if (*dh_flags.json && !dh_observer)
		dh_evidence_watch(f->serial, f->address - first, mask, f->first.site,
				  f->second.site);
}

struct telling {
	struct dh_self *t;
	struct dh_race_facts *f;
};

/* With all registers of the program kept. */
static void tell_now(void *telling)
{
	struct dh_self *t = ((struct telling *)telling)->t;
	struct dh_race_facts *f = ((struct telling *)telling)->f;
	struct dh_lock_log_answer *held = dh_mem_alloc(sizeof *held);
	struct dh_label label;
	struct dh_text name = {0};
	fill(t, f, held);
	f->label = dh_labels_find(DH_LABEL_NAME, f->address, &label)
		       ? label.text
		       : descriptor_at(&name, f->address);
	enum dh_race_part part = dh_report_race(f);
	if (part != DH_RACE_TOLD)
		dh_debugger_race(f);
	if (part == DH_RACE_NEW) {
		watch(f);
		dh_hook_report(f);
	}
	if (part != DH_RACE_TOLD)
		dh_report_halt();
	dh_mem_free(held, sizeof *held);
	dh_vec_free(&name);
}

static void tell(void *telling)
{
	dh_vectors_call(tell_now, telling);
}

bool dh_race_counts(const struct dh_race_facts *f)
{
	return !(f->second.flags & DH_WIRE_SUSPENDED) &&
	       (f->grade == DH_WIRE_OBSERVED || dh_flags.fail_on == DH_FAIL_ON_POTENTIAL);
}

DH_COLD void dh_race_state(struct dh_self *t, struct dh_race_facts *f)
{
	if (dh_benign(f->address) || dh_omp_memory_of_threads(f->address) ||
	    dh_untracked(f->address, dh_site_pc(dh_contexts, f->second.site),
			 dh_site_pc(dh_contexts, f->first.site)))
		return;
	/* Whether a known one is about to fault is not worth asking the kernel. */
	if (is_told(key_of(f)))
		__atomic_fetch_add(&total, 1, __ATOMIC_RELAXED);
	else if (!dh_fault_ahead(t, f))
		dh_race_tell(t, f);
}

void dh_race_tell(struct dh_self *t, struct dh_race_facts *f)
{
	__atomic_fetch_add(&total, 1, __ATOMIC_RELAXED);
	if (is_new(key_of(f)))
		dh_roomy_call(tell, &(struct telling){t, f});
}

DH_COLD void dh_race_found(struct dh_self *t, uintptr_t granule, unsigned mask,
			   dh_record mine, unsigned flags, dh_record other,
			   bool other_write)
{
	if (granule & DH_SHADOW_ASIDE)
		granule = dh_observer->granule(t);
	struct dh_race_facts f = {
	    .grade = DH_WIRE_OBSERVED,
	    .second = {.site = dh_record_site(mine), .flags = flags_of(flags)},
	    .first = {.site = dh_record_site(other),
		      .flags = flags_of((other_write ? DH_ACCESS_WRITE : 0) |
					(dh_record_atomic(other) ? DH_ACCESS_ATOMIC : 0)),
		      .thread = dh_thread_by_epoch(dh_record_slot(other),
						   dh_record_clock(other))},
	    .first_slot = dh_record_slot(other),
	    .first_clock = dh_record_clock(other),
	};
	unsigned both = mask & dh_record_mask(other);
	both = both ? both : mask;
	f.address = granule + (unsigned)__builtin_ctz(both);
	f.size = (unsigned)__builtin_popcount(both);
	if (dh_omp_memory_of_one(f.address, mine, other))
		return;
	place(&f.second, granule, mask);
	place(&f.first, granule, dh_record_mask(other));
	dh_race_state(t, &f);
}

uint64_t dh_race_total(void)
{
	return __atomic_load_n(&total, __ATOMIC_RELAXED);
}

void dh_race_forget_total(void)
{
	__atomic_store_n(&total, 0, __ATOMIC_RELAXED);
}
