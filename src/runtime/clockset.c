/* SPDX-License-Identifier: MIT */
/*
 * Clocks outside threads; see sync.h. A clock that came from one thread as a whole
 * remembers which and in which version: as long as that thread learned nothing new, a
 * further release by it has to change one entry only.
 *
 * What a thread publishes of itself is its last time frame that has records. The frame
 * that it is in counts when it has (`dirty`): the tick that follows then opens the next
 * one. An empty frame goes on and may get records later, so it must not be known yet.
 */
#include "runtime/sync.h"
#include "base/mem.h"

void dh_clockset_free(struct dh_clockset *c)
{
	dh_mem_free(c->at, c->room * sizeof *c->at);
	*c = (struct dh_clockset){0};
}

/* What others may look at without the object's lock (dh_clockset_known()) is written
 * as atomics; that it fits together is for them to check (glance.h). */
static void set_origin(struct dh_clockset *c, uint32_t slot, uint32_t when)
{
	__atomic_store_n(&c->slot, slot, __ATOMIC_RELAXED);
	__atomic_store_n(&c->when, when, __ATOMIC_RELAXED);
}

static void set_len(struct dh_clockset *c, uint32_t len)
{
	__atomic_store_n(&c->len, len, __ATOMIC_RELAXED);
}

void dh_clockset_clear(struct dh_clockset *c)
{
	set_len(c, 0);
	c->from = 0;
	set_origin(c, 0, 0);
}

/* At least len entries in use. New ones are zero. */
static void grow(struct dh_clockset *c, uint32_t len)
{
	if (c->len >= len)
		return;
	if (c->room < len) {
		uint32_t want = (DH_MAX(len, 8u) + 7) & ~7u;
		c->at =
		    dh_mem_resize(c->at, c->room * sizeof *c->at, want * sizeof *c->at);
		c->room = want;
	}
	dh_zero(c->at + c->len, (len - c->len) * sizeof *c->at);
	set_len(c, len);
}

static uint32_t slots_in_use(void)
{
	/* A slot that this thread knows of was counted before its clock got here. */
	return __atomic_load_n(&dh_slot_count, __ATOMIC_RELAXED);
}

static uint32_t own_slot(const struct dh_self *t)
{
	return (uint32_t)(t->epoch >> DH_SLOT_SHIFT);
}

/* Not slots, since a slot has many owners one after the other. */
static uint32_t name_of(const struct dh_self *t)
{
	return t->state->name;
}

static bool is_of(const struct dh_clockset *c, const struct dh_self *t)
{
	return c->from == name_of(t) && c->version == t->state->version;
}

static uint32_t own_clock(const struct dh_self *t)
{
	return t->vc[own_slot(t)] - !t->dirty;
}

/* A slot's last time frame may go on for ever, where no other slot was left: what is
 * published in it has no `when` of its own. Nor is there one in a slot whose users do not
 * know each other: who knows the second does not know what the first knew. */
static uint32_t origin(const struct dh_self *t, uint32_t slot)
{
	return !t->state->common && t->vc[slot] + 1 < DH_RECORD_CLOCK_MAX ? slot : 0;
}

void dh_clockset_assign(struct dh_clockset *c, const struct dh_self *t)
{
	uint32_t slot = own_slot(t), n = slots_in_use();
	if (c->len == 0 || !is_of(c, t)) {
		grow(c, n);
		dh_copy(c->at, t->vc, n * sizeof *c->at);
		set_len(c, n);
		c->from = name_of(t);
		c->version = t->state->version;
	}
	c->at[slot] = own_clock(t);
	set_origin(c, origin(t, slot), c->at[slot]);
}

/* Raises clocks to those of another; was any behind? Four at a time: with many threads
 * this is what an acquiring operation costs. */
static bool raise_to(uint32_t *to, const uint32_t *from, uint32_t n)
{
	typedef uint32_t four __attribute__((vector_size(16), aligned(4), may_alias));
	four behind = {0};
	uint32_t i = 0, rest = 0;
	for (; i + 4 <= n; i += 4) {
		const four a = *(const four *)&to[i], b = *(const four *)&from[i];
		const four less = (four)(a < b);
		behind |= less;
		*(four *)&to[i] = (a & ~less) | (b & less);
	}
	for (; i < n; i++) {
		rest |= to[i] < from[i];
		to[i] = DH_MAX(to[i], from[i]);
	}
	return rest | behind[0] | behind[1] | behind[2] | behind[3];
}

void dh_clockset_join(struct dh_clockset *c, const struct dh_self *t)
{
	if (c->len == 0 || is_of(c, t) || dh_clockset_known(c, t)) {
		dh_clockset_assign(c, t);
		return;
	}
	uint32_t slot = own_slot(t), n = slots_in_use();
	grow(c, n);
	uint32_t own = DH_MAX(c->at[slot], own_clock(t));
	raise_to(c->at, t->vc, n);
	c->at[slot] = own;
	c->from = 0;
	set_origin(c, 0, 0);
}

void dh_clockset_note(struct dh_clockset *c, uint32_t slot, uint32_t clock)
{
	grow(c, slot + 1);
	c->at[slot] = DH_MAX(c->at[slot], clock);
	c->from = 0;
	set_origin(c, 0, 0);
}

void dh_clockset_merge(struct dh_clockset *c, const struct dh_clockset *from)
{
	if (c->len == 0) {
		dh_clockset_copy(c, from);
		return;
	}
	grow(c, from->len);
	raise_to(c->at, from->at, from->len);
	c->from = 0;
	set_origin(c, 0, 0);
}

void dh_clockset_copy(struct dh_clockset *c, const struct dh_clockset *from)
{
	grow(c, from->len);
	dh_copy(c->at, from->at, from->len * sizeof *c->at);
	set_len(c, from->len);
	c->from = from->from;
	c->version = from->version;
	set_origin(c, from->slot, from->when);
}

void dh_clockset_learn(struct dh_self *t, const struct dh_clockset *c)
{
	if (dh_clockset_known(c, t) || c->from == name_of(t))
		return; /* its own earlier clock is no news */
	uint32_t own = own_slot(t), mine = t->vc[own];
	bool news = raise_to(t->vc, c->at, c->len);
	t->vc[own] = mine;
	if (news) {
		t->state->version++;
		t->dirty |= DH_DIRTY_NEWS; /* the next publication is another: sync.h */
	}
}
