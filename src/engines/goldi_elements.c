/* SPDX-License-Identifier: MIT */
/* The numbering of goldi_elements.h. Episodes follow clock/order.c step by step, so
 * that all engines agree on which leave belongs to which enters. */
#include "engines/goldi_elements.h"

void dh_goldi_elements_init(struct dh_goldi_elements *e)
{
	*e = (struct dh_goldi_elements){.count = 1};
}

static bool is_current(const struct dh_goldi_elements *e,
		       const struct dh_goldi_episode *ep)
{
	for (size_t b = 0; b < e->barriers.len; b++)
		if (e->barriers.at[b] == ep)
			return true;
	return false;
}

/* Episodes still entered by someone hang in the map, perhaps several times, and
 * perhaps as the current one of their barrier. */
static void episodes_free(struct dh_goldi_elements *e)
{
	for (size_t i = 0; i < e->inside.cap; i++) {
		if (!e->inside.used[i])
			continue;
		struct dh_goldi_episode *ep = (void *)(uintptr_t)e->inside.slots[i].value;
		if (--ep->inside == 0 && !is_current(e, ep))
			dh_mem_free(ep, sizeof *ep);
	}
	for (size_t b = 0; b < e->barriers.len; b++)
		dh_mem_free(e->barriers.at[b], sizeof *e->barriers.at[b]);
}

void dh_goldi_elements_free(struct dh_goldi_elements *e)
{
	episodes_free(e);
	dh_vec_free(&e->unused);
	dh_vec_free(&e->locks);
	dh_vec_free(&e->messages);
	dh_vec_free(&e->volatiles);
	dh_vec_free(&e->barriers);
	dh_map_free(&e->inside);
	dh_vec_free(&e->retired);
}

uint32_t dh_goldi_element_new(struct dh_goldi_elements *e)
{
	if (e->unused.len)
		return dh_vec_pop(&e->unused);
	DH_CHECK(e->count < UINT32_MAX);
	return e->count++;
}

uint32_t dh_goldi_element_at(struct dh_goldi_elements *e, uint32_t *place)
{
	if (DH_UNLIKELY(!*place))
		*place = dh_goldi_element_new(e);
	return *place;
}

struct dh_goldi_lock *dh_goldi_lock_of(struct dh_goldi_elements *e, uint32_t lock)
{
	dh_vec_grow(&e->locks, (size_t)lock + 1);
	return &e->locks.at[lock];
}

uint32_t *dh_goldi_message_of(struct dh_goldi_elements *e, uint32_t message)
{
	dh_vec_grow(&e->messages, (size_t)message + 1);
	return &e->messages.at[message];
}

uint32_t *dh_goldi_volatile_of(struct dh_goldi_elements *e, uint32_t var)
{
	dh_vec_grow(&e->volatiles, (size_t)var + 1);
	return &e->volatiles.at[var];
}

/* ---- barriers ---- */

static uint64_t inside_key(uint32_t barrier, uint32_t thread)
{
	return (uint64_t)barrier << 32 | thread;
}

static struct dh_goldi_episode **current_of(struct dh_goldi_elements *e, uint32_t barrier)
{
	dh_vec_grow(&e->barriers, (size_t)barrier + 1);
	struct dh_goldi_episode **place = &e->barriers.at[barrier];
	if (!*place)
		*place = dh_mem_alloc(sizeof **place);
	return place;
}

static void retire(struct dh_goldi_elements *e, struct dh_goldi_episode *ep,
		   uint64_t position)
{
	if (ep->element)
		dh_vec_push(&e->retired,
			    (struct dh_goldi_retired){ep->element, position});
	dh_mem_free(ep, sizeof *ep);
}

static void step_out(struct dh_goldi_elements *e, struct dh_goldi_episode *ep,
		     uint32_t barrier, uint64_t position)
{
	if (--ep->inside == 0 && e->barriers.at[barrier] != ep)
		retire(e, ep, position);
}

static struct dh_goldi_episode *open_episode(struct dh_goldi_elements *e,
					     uint32_t barrier, uint64_t position)
{
	struct dh_goldi_episode **place = current_of(e, barrier);
	if ((*place)->left) {
		if ((*place)->inside == 0)
			retire(e, *place, position);
		*place = dh_mem_alloc(sizeof **place);
	}
	return *place;
}

uint32_t dh_goldi_barrier_enter(struct dh_goldi_elements *e, uint32_t barrier,
				uint32_t thread, uint64_t position)
{
	struct dh_goldi_episode *ep = open_episode(e, barrier, position);
	bool fresh;
	uint64_t *in = dh_map_put(&e->inside, inside_key(barrier, thread), &fresh);
	struct dh_goldi_episode *former = fresh ? NULL : (void *)(uintptr_t)*in;
	if (former != ep) {
		*in = (uintptr_t)ep;
		ep->inside++;
		if (former)
			step_out(e, former, barrier, position);
	}
	return dh_goldi_element_at(e, &ep->element);
}

uint32_t dh_goldi_barrier_leave(struct dh_goldi_elements *e, uint32_t barrier,
				uint32_t thread, uint64_t position)
{
	uint64_t key = inside_key(barrier, thread);
	uint64_t *in = dh_map_get(&e->inside, key);
	if (!in) {
		struct dh_goldi_episode *ep = *current_of(e, barrier);
		ep->left = true;
		return ep->element;
	}
	struct dh_goldi_episode *ep = (void *)(uintptr_t)*in;
	uint32_t element = ep->element;
	ep->left = true;
	dh_map_remove(&e->inside, key);
	step_out(e, ep, barrier, position);
	return element;
}
