/* SPDX-License-Identifier: MIT */
/*
 * Strong and weak order; the terms and invariant (W) are in order.h.
 *
 * Cost: a release is O(1) (the clock is shared, not copied); an acquire of
 * something already known is O(1); other acquires are one pass over the vector.
 *
 * Slot reuse is exact: thread U may follow thread D in slot s only if U's creator
 * knows D's last epoch in every relation that is kept. Then all of D is ordered
 * before all of U, U's clock goes on where D's ended, and "s is known up to c"
 * means the same whichever of the two was running at c.
 */
#include "clock/order.h"

enum { SLOT_CANDIDATES = 4 }; /* free slots looked at before a new one is made */

static bool kept(const struct dh_order *o, enum dh_relation r)
{
	return o->config.relation[r];
}

void dh_order_init(struct dh_order *o, const struct dh_order_config *config)
{
	*o = (struct dh_order){.config = *config};
	if (o->config.clock_max == 0)
		o->config.clock_max = DH_CLOCK_MAX;
}

static void episode_free(struct dh_order_episode *e)
{
	for (int r = 0; r < DH_RELATIONS; r++)
		dh_vc_unref(e->entered[r]);
	dh_mem_free(e, sizeof *e);
}

static void channels_free(struct dh_order_channel *at, size_t len)
{
	for (size_t i = 0; i < len; i++)
		for (int r = 0; r < DH_RELATIONS; r++)
			dh_vc_unref(at[i].sent[r]);
}

/* Episodes still entered by someone hang in the map too, perhaps several times,
 * and perhaps as the current one of their barrier. */
static void episodes_free(struct dh_order *o)
{
	for (size_t i = 0; i < o->inside.cap; i++) {
		if (!o->inside.used[i])
			continue;
		struct dh_order_episode *e = (void *)(uintptr_t)o->inside.slots[i].value;
		bool current = false;
		for (size_t b = 0; b < o->barriers.len; b++)
			current |= o->barriers.at[b] == e;
		if (!current && --e->inside == 0)
			episode_free(e);
	}
	for (size_t b = 0; b < o->barriers.len; b++)
		if (o->barriers.at[b])
			episode_free(o->barriers.at[b]);
}

void dh_order_free(struct dh_order *o)
{
	for (size_t i = 0; i < o->locks.len; i++) {
		dh_vc_unref(o->locks.at[i].writer);
		dh_vc_unref(o->locks.at[i].readers);
	}
	channels_free(o->messages.at, o->messages.len);
	channels_free(o->volatiles.at, o->volatiles.len);
	episodes_free(o);
	dh_vec_free(&o->slot_last);
	dh_vec_free(&o->free_slots);
	dh_vec_free(&o->locks);
	dh_vec_free(&o->messages);
	dh_vec_free(&o->volatiles);
	dh_vec_free(&o->barriers);
	dh_map_free(&o->inside);
}

/* ---- knowledge ---- */

static bool know_raise(struct dh_know *k, uint32_t slot, uint32_t clock)
{
	if (k->bounded)
		return dh_bounded_raise(k->bounded, slot, clock);
	if (dh_vc_get(k->vc, slot) >= clock)
		return false;
	dh_vc_set(&k->vc, slot, clock);
	return true;
}

static bool know_join(struct dh_know *k, struct dh_vc *with)
{
	return k->bounded ? dh_bounded_join(k->bounded, with) : dh_vc_join(&k->vc, with);
}

static bool know_join_know(struct dh_know *k, const struct dh_know *with)
{
	if (!with->bounded)
		return know_join(k, with->vc);
	bool changed = false;
	for (size_t i = 0; i < with->bounded->entries.len; i++) {
		const struct dh_bounded_entry *e = &with->bounded->entries.at[i];
		changed |= know_raise(k, e->slot, e->clock);
	}
	return changed;
}

/* Adds what p knows, and its epoch, to a shared clock. */
static void publish_into(struct dh_vc **to, const struct dh_party *p, enum dh_relation r)
{
	struct dh_know acc = {.vc = *to};
	know_join_know(&acc, &p->know[r]);
	know_raise(&acc, p->slot, p->clock);
	*to = acc.vc;
}

static void learned(struct dh_order *o, struct dh_know *k, bool changed)
{
	k->version += changed;
	if (k->bounded) {
		o->entries_dropped += k->bounded->dropped;
		k->bounded->dropped = 0;
	}
}

static void learn(struct dh_order *o, struct dh_party *p, enum dh_relation r,
		  struct dh_vc *from)
{
	learned(o, &p->know[r], know_join(&p->know[r], from));
}

/* ---- slots and ticks ---- */

static uint32_t new_slot(struct dh_order *o)
{
	uint32_t slot = (uint32_t)o->slot_last.len;
	dh_vec_push(&o->slot_last, 0);
	return slot;
}

static bool knows_slot_end(const struct dh_order *o, const struct dh_party *p, uint32_t slot)
{
	for (int r = 0; r < DH_RELATIONS; r++)
		if (kept(o, r) && !dh_order_before(p, r, slot, o->slot_last.at[slot]))
			return false;
	return true;
}

/* A free slot whose last owner the parent knows to the end, else a new one. */
static uint32_t take_slot(struct dh_order *o, const struct dh_party *parent)
{
	size_t n = o->free_slots.len, stop = n > SLOT_CANDIDATES ? n - SLOT_CANDIDATES : 0;
	for (size_t i = n; parent && i > stop; i--) {
		uint32_t slot = o->free_slots.at[i - 1];
		if (!knows_slot_end(o, parent, slot))
			continue;
		o->free_slots.at[i - 1] = o->free_slots.at[--o->free_slots.len];
		o->slots_reused++;
		return slot;
	}
	return new_slot(o);
}

/* A full scalar: go on in a new slot, which is as if the party had forked itself
 * and ended. It keeps knowing all of its own past. */
static DH_COLD void renew_slot(struct dh_order *o, struct dh_party *p)
{
	for (int r = 0; r < DH_RELATIONS; r++)
		if (kept(o, r)) {
			know_raise(&p->know[r], p->slot, p->clock);
			learned(o, &p->know[r], false);
		}
	p->slot = new_slot(o);
	p->clock = 0;
	o->slots_renewed++;
}

static void tick(struct dh_order *o, struct dh_party *p)
{
	if (DH_UNLIKELY(p->clock >= o->config.clock_max))
		renew_slot(o, p);
	p->clock++;
	o->ticks++;
}

static void note_publish(struct dh_party *p, enum dh_relation r)
{
	p->know[r].version++;
	p->know[r].published++;
}

/* ---- threads ---- */

void dh_order_start(struct dh_order *o, struct dh_party *p, struct dh_party *parent)
{
	p->slot = take_slot(o, parent);
	p->clock = o->slot_last.at[p->slot] + 1;
	if (kept(o, DH_WEAK) && o->config.clock_limit) {
		p->know[DH_WEAK].bounded = dh_mem_alloc(sizeof(struct dh_bounded));
		dh_bounded_init(p->know[DH_WEAK].bounded, o->config.clock_limit);
	}
	if (!parent)
		return;
	for (int r = 0; r < DH_RELATIONS; r++) {
		if (!kept(o, r))
			continue;
		know_join_know(&p->know[r], &parent->know[r]);
		know_raise(&p->know[r], parent->slot, parent->clock);
		learned(o, &p->know[r], false); /* a beginning is no change */
		note_publish(parent, r);
	}
	tick(o, parent);
}

void dh_order_end(struct dh_order *o, struct dh_party *p)
{
	(void)o;
	for (int r = 0; r < DH_RELATIONS; r++) {
		struct dh_know *k = &p->know[r];
		dh_vc_unref(k->vc);
		k->vc = NULL;
		if (k->bounded) {
			dh_bounded_free(k->bounded);
			dh_mem_free(k->bounded, sizeof *k->bounded);
			k->bounded = NULL;
		}
	}
}

/* The slot goes to who comes after it, from this clock on. */
static void give_back(struct dh_order *o, struct dh_party *p)
{
	p->joined = true;
	o->slot_last.at[p->slot] = p->clock;
	if (p->clock < o->config.clock_max)
		dh_vec_push(&o->free_slots, p->slot);
}

/* Nothing was done since the publication: that clock is the next owner's first. A slot
 * that the party has just moved to stays its own. */
void dh_order_retire(struct dh_order *o, struct dh_party *p)
{
	if (p->joined || p->clock <= 1)
		return;
	p->clock--;
	give_back(o, p);
}

void dh_order_join(struct dh_order *o, struct dh_party *p, struct dh_party *child)
{
	for (int r = 0; r < DH_RELATIONS; r++) {
		if (!kept(o, r) || dh_order_before(p, r, child->slot, child->clock))
			continue;
		bool changed = know_join_know(&p->know[r], &child->know[r]);
		changed |= know_raise(&p->know[r], child->slot, child->clock);
		learned(o, &p->know[r], changed);
		note_publish(child, r);
	}
	if (!child->joined)
		give_back(o, child);
}

/* ---- locks: the strong relation only ---- */

static struct dh_order_lock *lock_of(struct dh_order *o, uint32_t lock)
{
	dh_vec_grow(&o->locks, (size_t)lock + 1);
	return &o->locks.at[lock];
}

void dh_order_acquire(struct dh_order *o, struct dh_party *p, uint32_t lock, bool write)
{
	if (!kept(o, DH_STRONG))
		return;
	struct dh_order_lock *l = lock_of(o, lock);
	struct dh_know *k = &p->know[DH_STRONG];
	if (l->clock && !dh_order_before(p, DH_STRONG, l->slot, l->clock)) {
		know_join(k, l->writer);
		know_raise(k, l->slot, l->clock);
		learned(o, k, true);
	}
	if (write && l->readers)
		learn(o, p, DH_STRONG, l->readers);
}

void dh_order_release(struct dh_order *o, struct dh_party *p, uint32_t lock, bool write)
{
	if (!kept(o, DH_STRONG))
		return;
	struct dh_order_lock *l = lock_of(o, lock);
	if (write) {
		/* The writer has learned what readers and earlier writers left: by (W)
		 * its own clock stands for all of them. */
		struct dh_vc *old = l->writer;
		l->writer = dh_vc_ref(p->know[DH_STRONG].vc);
		l->slot = p->slot;
		l->clock = p->clock;
		dh_vc_unref(old);
		dh_vc_unref(l->readers);
		l->readers = NULL;
	} else {
		publish_into(&l->readers, p, DH_STRONG);
	}
	note_publish(p, DH_STRONG);
	tick(o, p);
}

/* ---- messages and volatiles ---- */

static void channel_publish(struct dh_order *o, struct dh_party *p,
			    struct dh_order_channel *c)
{
	for (int r = 0; r < DH_RELATIONS; r++) {
		if (!kept(o, r))
			continue;
		publish_into(&c->sent[r], p, r);
		note_publish(p, r);
	}
	tick(o, p);
}

static void channel_learn(struct dh_order *o, struct dh_party *p,
			  const struct dh_order_channel *c)
{
	for (int r = 0; r < DH_RELATIONS; r++)
		if (kept(o, r))
			learn(o, p, r, c->sent[r]);
}

void dh_order_send(struct dh_order *o, struct dh_party *p, uint32_t message)
{
	dh_vec_grow(&o->messages, (size_t)message + 1);
	channel_publish(o, p, &o->messages.at[message]);
}

void dh_order_receive(struct dh_order *o, struct dh_party *p, uint32_t message)
{
	dh_vec_grow(&o->messages, (size_t)message + 1);
	channel_learn(o, p, &o->messages.at[message]);
}

void dh_order_volatile_write(struct dh_order *o, struct dh_party *p, uint32_t var)
{
	dh_vec_grow(&o->volatiles, (size_t)var + 1);
	channel_publish(o, p, &o->volatiles.at[var]);
}

void dh_order_volatile_read(struct dh_order *o, struct dh_party *p, uint32_t var)
{
	dh_vec_grow(&o->volatiles, (size_t)var + 1);
	channel_learn(o, p, &o->volatiles.at[var]);
}

void dh_order_forget(struct dh_order *o, bool lock, bool message, uint32_t number)
{
	if (lock && number < o->locks.len) {
		dh_vc_unref(o->locks.at[number].writer);
		dh_vc_unref(o->locks.at[number].readers);
		o->locks.at[number] = (struct dh_order_lock){0};
	}
	size_t len = message ? o->messages.len : o->volatiles.len;
	if (lock || number >= len)
		return;
	struct dh_order_channel *c =
	    message ? &o->messages.at[number] : &o->volatiles.at[number];
	for (int r = 0; r < DH_RELATIONS; r++)
		dh_vc_unref(c->sent[r]);
	*c = (struct dh_order_channel){0};
}

/* ---- barriers ---- */

static uint64_t inside_key(const struct dh_party *p, uint32_t barrier)
{
	return (uint64_t)barrier << 32 | p->id;
}

static struct dh_order_episode *open_episode(struct dh_order *o, uint32_t barrier)
{
	dh_vec_grow(&o->barriers, (size_t)barrier + 1);
	struct dh_order_episode *e = o->barriers.at[barrier];
	if (e && !e->left)
		return e;
	if (e && e->inside == 0)
		episode_free(e);
	return o->barriers.at[barrier] = dh_mem_alloc(sizeof *e);
}

/* p's way out of e; frees e when nobody can refer to it any more. */
static void step_out(struct dh_order *o, struct dh_order_episode *e, uint32_t barrier)
{
	if (--e->inside == 0 && o->barriers.at[barrier] != e)
		episode_free(e);
}

void dh_order_barrier_enter(struct dh_order *o, struct dh_party *p, uint32_t barrier)
{
	struct dh_order_episode *e = open_episode(o, barrier);
	for (int r = 0; r < DH_RELATIONS; r++) {
		if (!kept(o, r))
			continue;
		publish_into(&e->entered[r], p, r);
		note_publish(p, r);
	}
	tick(o, p);
	bool fresh;
	uint64_t *in = dh_map_put(&o->inside, inside_key(p, barrier), &fresh);
	if (!fresh) {
		struct dh_order_episode *former = (void *)(uintptr_t)*in;
		if (former == e)
			return;
		step_out(o, former, barrier);
	}
	*in = (uintptr_t)e;
	e->inside++;
}

bool dh_order_barrier_leave(struct dh_order *o, struct dh_party *p, uint32_t barrier)
{
	uint64_t key = inside_key(p, barrier);
	uint64_t *in = dh_map_get(&o->inside, key);
	struct dh_order_episode *e;
	if (in) {
		e = (void *)(uintptr_t)*in;
	} else {
		dh_vec_grow(&o->barriers, (size_t)barrier + 1);
		if (!o->barriers.at[barrier])
			o->barriers.at[barrier] = dh_mem_alloc(sizeof *e);
		e = o->barriers.at[barrier];
	}
	bool first = !e->left;
	e->left = true;
	for (int r = 0; r < DH_RELATIONS; r++)
		if (kept(o, r))
			learn(o, p, r, e->entered[r]);
	if (in) {
		dh_map_remove(&o->inside, key);
		step_out(o, e, barrier);
	}
	return first;
}
