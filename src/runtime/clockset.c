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
	dh_mem_free(c->at, c->len * sizeof *c->at);
	*c = (struct dh_clockset){0};
}

static void grow(struct dh_clockset *c, uint32_t len)
{
	if (c->len >= len)
		return;
	uint32_t want = DH_MAX(len, 8u);
	c->at = dh_mem_resize(c->at, c->len * sizeof *c->at, want * sizeof *c->at);
	c->len = want;
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

/* Threads and not slots, since a slot has many owners one after the other. */
static uint32_t name_of(const struct dh_self *t)
{
	return t->state->info->id + 1;
}

static bool is_of(const struct dh_clockset *c, const struct dh_self *t)
{
	return c->from == name_of(t) && c->version == t->state->version;
}

static uint32_t own_clock(const struct dh_self *t)
{
	return t->vc[own_slot(t)] - !t->dirty;
}

void dh_clockset_assign(struct dh_clockset *c, const struct dh_self *t)
{
	uint32_t slot = own_slot(t), n = slots_in_use();
	if (!is_of(c, t)) {
		grow(c, n);
		dh_copy(c->at, t->vc, n * sizeof *c->at);
		dh_zero(c->at + n, (c->len - n) * sizeof *c->at);
		c->from = name_of(t);
		c->version = t->state->version;
	}
	c->at[slot] = own_clock(t);
}

void dh_clockset_join(struct dh_clockset *c, const struct dh_self *t)
{
	if (c->len == 0 || is_of(c, t)) {
		dh_clockset_assign(c, t);
		return;
	}
	uint32_t slot = own_slot(t), n = slots_in_use();
	grow(c, n);
	uint32_t own = DH_MAX(c->at[slot], own_clock(t));
	for (uint32_t i = 0; i < n; i++)
		c->at[i] = DH_MAX(c->at[i], t->vc[i]);
	c->at[slot] = own;
	c->from = 0;
}

void dh_clockset_merge(struct dh_clockset *c, const struct dh_clockset *from)
{
	grow(c, from->len);
	for (uint32_t i = 0; i < from->len; i++)
		c->at[i] = DH_MAX(c->at[i], from->at[i]);
	c->from = 0;
}

void dh_clockset_learn(struct dh_self *t, const struct dh_clockset *c)
{
	if (c->len == 0 || c->from == name_of(t))
		return; /* its own earlier clock is no news */
	uint32_t news = 0, own = own_slot(t), mine = t->vc[own];
	for (uint32_t i = 0; i < c->len; i++) {
		news |= c->at[i] > t->vc[i];
		t->vc[i] = DH_MAX(t->vc[i], c->at[i]);
	}
	t->vc[own] = mine;
	t->state->version += news != 0;
}
