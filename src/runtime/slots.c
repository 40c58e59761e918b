/* SPDX-License-Identifier: MIT */
/* See slots.h. Everything here is under dh_threads_lock. */
#include "runtime/slots.h"
#include "base/vec.h"
#include "runtime/record.h"
#include "runtime/thread.h"

struct dh_lock dh_threads_lock;
DH_LOCK_AROUND_FORK(dh_threads_lock, DH_FORK_THREADS);

uint32_t dh_slot_count = 1; /* slot 0 is nobody's */
bool dh_slots_vague;

struct owner {
	uint32_t first; /* clock from which on the slot was this thread's */
	uint32_t id;	/* its own, or what it is called by: dh_slot_rename() */
	uint32_t host;
};

static struct slot {
	struct dh_vec(struct owner) owners;
	uint32_t last; /* the last clock used, while free */
	uint32_t user; /* id of who has it, while used */
	bool used;     /* by a thread that lives or is about to */
} slots[DH_SLOTS];

static struct dh_vec(uint32_t) free_slots;
static uint64_t reused, shared, renewed;

static uint32_t hand_out(uint32_t slot, uint32_t id)
{
	dh_vec_push(&slots[slot].owners, (struct owner){slots[slot].last + 1, id, id});
	slots[slot].user = id;
	slots[slot].used = true;
	return slot;
}

static uint32_t take_free(size_t i, uint32_t id)
{
	uint32_t slot = free_slots.at[i];
	free_slots.at[i] = free_slots.at[--free_slots.len];
	return hand_out(slot, id);
}

/* A free slot whose end the creator knows; free_slots.len where there is none. That of the
 * thread that has ended last is free first: where many are made before any is waited for,
 * it is one of those behind them. */
static size_t find_known(const uint32_t *creator)
{
	for (size_t i = free_slots.len; creator && i-- > 0;) {
		uint32_t slot = free_slots.at[i];
		if (creator[slot] >= slots[slot].last)
			return i;
	}
	return free_slots.len;
}

static uint32_t take(const uint32_t *creator, uint32_t id)
{
	size_t known = find_known(creator);
	if (known < free_slots.len) {
		reused++;
		return take_free(known, id);
	}
	if (dh_slot_count < DH_SLOT_TAG) {
		uint32_t slot = dh_slot_count;
		__atomic_store_n(&dh_slot_count, slot + 1, __ATOMIC_RELAXED);
		return hand_out(slot, id);
	}
	if (free_slots.len == 0)
		return 0;
	shared++;
	__atomic_store_n(&dh_slots_vague, true, __ATOMIC_SEQ_CST);
	return take_free(free_slots.len - 1, id);
}

uint32_t dh_slot_take(const uint32_t *creator, uint32_t id)
{
	dh_lock(&dh_threads_lock);
	uint32_t slot = take(creator, id);
	dh_unlock(&dh_threads_lock);
	return slot;
}

void dh_slot_rename(uint32_t slot, uint32_t first, uint32_t id, uint32_t host)
{
	dh_lock(&dh_threads_lock);
	struct slot *s = &slots[slot];
	struct owner *last = &s->owners.at[s->owners.len - 1];
	if (last->first >= first)
		*last = (struct owner){last->first, id, host};
	else if (last->id != id || last->host != host)
		dh_vec_push(&s->owners, (struct owner){first, id, host});
	dh_unlock(&dh_threads_lock);
}

uint32_t dh_slot_first_clock(uint32_t slot)
{
	dh_lock(&dh_threads_lock);
	uint32_t first = slots[slot].owners.at[slots[slot].owners.len - 1].first;
	dh_unlock(&dh_threads_lock);
	return first;
}

void dh_slot_give(uint32_t slot, uint32_t last)
{
	dh_lock(&dh_threads_lock);
	slots[slot].last = last;
	slots[slot].used = false;
	if (last + 1 < DH_RECORD_CLOCK_MAX)
		dh_vec_push(&free_slots, slot);
	dh_unlock(&dh_threads_lock);
}

uint32_t dh_slot_renew(const uint32_t *vc, uint32_t id, uint32_t old)
{
	dh_lock(&dh_threads_lock);
	slots[old].last = vc[old];
	uint32_t slot = take(vc, id);
	slots[old].used = !slot; /* where there is no other, it stays the thread's */
	renewed++;
	dh_unlock(&dh_threads_lock);
	return slot;
}

bool dh_slot_user_locked(uint32_t slot, uint32_t *id)
{
	if (slots[slot].used)
		*id = slots[slot].user;
	return slots[slot].used;
}

bool dh_slot_user(uint32_t slot, uint32_t *id)
{
	dh_lock(&dh_threads_lock);
	bool used = dh_slot_user_locked(slot, id);
	dh_unlock(&dh_threads_lock);
	return used;
}

uint32_t dh_slot_last_clock(uint32_t slot)
{
	dh_lock(&dh_threads_lock);
	uint32_t last = slots[slot].last;
	dh_unlock(&dh_threads_lock);
	return last;
}

/* The last owner whose first clock is not later; NULL where there is none. */
static const struct owner *owner_at(uint32_t slot, uint32_t clock)
{
	const struct owner *at = slots[slot].owners.at;
	size_t low = 0, high = slots[slot].owners.len;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (at[middle].first <= clock)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &at[low - 1] : NULL;
}

bool dh_slot_owner(uint32_t slot, uint32_t clock, uint32_t *id)
{
	dh_lock(&dh_threads_lock);
	const struct owner *o = owner_at(slot, clock);
	if (o)
		*id = o->id;
	dh_unlock(&dh_threads_lock);
	return o != NULL;
}

bool dh_slot_host(uint32_t slot, uint32_t clock, uint32_t *host)
{
	dh_lock(&dh_threads_lock);
	const struct owner *o = owner_at(slot, clock);
	if (o)
		*host = o->host;
	dh_unlock(&dh_threads_lock);
	return o != NULL;
}

void dh_slots_get_stats(uint64_t *reused_, uint64_t *shared_, uint64_t *renewed_)
{
	dh_lock(&dh_threads_lock);
	*reused_ = reused;
	*shared_ = shared;
	*renewed_ = renewed;
	dh_unlock(&dh_threads_lock);
}
