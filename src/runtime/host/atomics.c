/* SPDX-License-Identifier: MIT */
/*
 * Atomics as volatiles, by their memory orders; see host.h.
 *
 *   store or read-modify-write, release   vw before it is done
 *   load or read-modify-write, acquire    vr after it was done
 *   the others                            nothing by themselves; but
 *   release fence                         snd of a message of the thread's own, which a
 *                                         relaxed store after it attaches to the
 * location: who acquires from there receives it acquire fence what its thread has read
 * relaxed since the last one is acquired now
 *
 * A volatile gives all that was ever released through it: an atomic gives what the
 * release sequence of the value does that is read. So a race may go unseen behind a
 * location that is stored to by several threads in turn; none is made up.
 *
 * A location to which nobody has released is known by its mark (repeats.h), and costs no
 * lock; nor does one from which the thread has all that there is.
 */
#include "runtime/edges.h"
#include "runtime/host/host.h"

/* The mark is as it was before it was received: what is released meanwhile is not in. */
static void note_received(struct dh_guest *g, uintptr_t addr, uint32_t mark)
{
	g->received[addr / 8 % DH_RECEIVED] = (struct dh_received){addr, mark};
}

static bool has_received(const struct dh_guest *g, uintptr_t addr)
{
	const struct dh_received *r = &g->received[addr / 8 % DH_RECEIVED];
	return r->addr == addr && r->mark == dh_mark(dh_volatile_marks, addr);
}

/* ---- alone, or in the gate (steps.c) ---- */

static bool receive(struct dh_guest *g, uintptr_t addr, bool alone)
{
	uint32_t number;
	bool done = true;
	if (dh_object_find(&dh_host.objects, DH_NAME_MESSAGE, addr,
			   &number)) /* steps.c */
		done = dh_host_step(g, DH_RECEIVE, number, DH_SITE_NONE, alone);
	if (!dh_object_find(&dh_host.objects, DH_NAME_VOLATILE, addr, &number))
		return done;
	done &= dh_host_step(g, DH_VOLATILE_READ, number, DH_SITE_NONE, alone);
	const struct dh_volatile *v = &dh_host.objects.volatiles.at[number];
	for (size_t i = 0; i < v->fences.len; i++)
		done &= dh_host_step(g, DH_RECEIVE, v->fences.at[i], DH_SITE_NONE, alone);
	return done;
}

static bool attach_fence(struct dh_guest *g, uint32_t number, bool alone)
{
	struct dh_volatile *v = &dh_host.objects.volatiles.at[number];
	for (size_t i = 0; i < v->fences.len; i++)
		if (v->fences.at[i] == g->fences - 1)
			return true;
	if (alone)
		dh_vec_push(&v->fences, g->fences - 1);
	return alone;
}

static bool publish(struct dh_guest *g, uintptr_t addr, bool release, bool alone)
{
	uint32_t number;
	if (!dh_host_number(DH_NAME_VOLATILE, addr, alone, &number))
		return false;
	bool done = release
			? dh_host_step(g, DH_VOLATILE_WRITE, number, DH_SITE_NONE, alone)
			: attach_fence(g, number, alone);
	if (done)
		dh_mark_raise(dh_volatile_marks, addr);
	return done;
}

static void note_loaded(struct dh_guest *g, uintptr_t addr)
{
	for (size_t i = g->loaded.len; i > 0; i--)
		if (g->loaded.at[i - 1] == addr)
			return;
	dh_vec_push(&g->loaded, addr);
}

void dh_host_fence(struct dh_guest *g, int order)
{
	if (dh_acquires(order)) {
		for (size_t i = 0; i < g->loaded.len; i++)
			receive(g, g->loaded.at[i], true);
		g->loaded.len = 0;
	}
	if (dh_releases(order)) {
		if (!g->fences)
			g->fences = dh_object_new(&dh_host.objects, DH_NAME_MESSAGE) + 1;
		dh_host_feed(g->id, DH_SEND, g->fences - 1, DH_SITE_NONE);
	}
}

/* ---- the hook ---- */

static void publishing(struct dh_self *t, struct dh_guest *g, uintptr_t addr, int order)
{
	bool release = dh_releases(order), done = false;
	if (!release && !g->fences)
		return;
	if (release)
		g->repeats.frame++;
	if (dh_host_share(g)) {
		done = publish(g, addr, release, false);
		dh_host_unshare_step(t, g);
	}
	if (done)
		return;
	dh_host_enter();
	publish(g, addr, release, true);
	dh_host_leave(t);
}

static void learned(struct dh_self *t, struct dh_guest *g, uintptr_t addr, int order)
{
	uint32_t mark = dh_mark(dh_volatile_marks, addr);
	bool done = false;
	if (!mark || has_received(g, addr))
		return;
	if (!dh_acquires(order)) {
		note_loaded(g, addr);
		return;
	}
	g->repeats.frame++;
	if (dh_host_share(g)) {
		done = receive(g, addr, false);
		dh_host_unshare_step(t, g);
	}
	if (!done) {
		dh_host_enter();
		receive(g, addr, true);
		dh_host_leave(t);
	}
	note_received(g, addr, mark);
}

void dh_host_atomic(struct dh_self *t, enum dh_observed_atomic what, uintptr_t addr,
		    unsigned size, int order, uint64_t pc)
{
	(void)size, (void)pc;
	struct dh_guest *g = dh_guest_of(t);
	if (what == DH_ATOMIC_STORING || what == DH_ATOMIC_MODIFYING)
		publishing(t, g, addr, order);
	else
		learned(t, g, addr, order);
}
