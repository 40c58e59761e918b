/* SPDX-License-Identifier: MIT */
/*
 * Threads, locks, messages and barriers as events; see host.h.
 *
 * The stream must be well formed (trace/check.h), whatever the program does: a lock that
 * is taken while another thread still seems to have it was given back by somebody else,
 * or unseen. Then that thread's release comes first. It orders more than there was, so it
 * may hide a race, and makes none up; it is counted.
 *
 * Steps that make nothing new are told in the gate (gate.h): functions with a parameter
 * `alone` then change nothing before they know that they can go through with it, and
 * answer false where they cannot. Who is alone can always.
 *
 * Message 0 is for "all that any thread has done so far": threads send it when they end,
 * and when one asks for it, all others do.
 */
#include "runtime/host/events.h"
#include "runtime/host/host.h"

enum { MESSAGE_ALL = 0 };

/* ---- locks ---- */

static struct dh_held_lock *lock_of(uint32_t lock)
{
	return &dh_host.objects.locks.at[lock];
}

static struct dh_hold *hold_of(struct dh_guest *g, uint32_t lock, bool write)
{
	for (size_t i = g->held.len; i > 0; i--)
		if (g->held.at[i - 1].lock == lock && g->held.at[i - 1].write == write)
			return &g->held.at[i - 1];
	return NULL;
}

static bool let_go(struct dh_guest *g, struct dh_hold *h, bool alone)
{
	struct dh_held_lock *l = lock_of(h->lock);
	if (!dh_host_step(g, h->write ? DH_RELEASE : DH_READ_RELEASE, h->lock,
			  DH_SITE_NONE, alone))
		return false;
	/* Relaxed: who takes the lock next comes after the program gave it back. */
	if (h->write) {
		__atomic_store_n(&l->writer, 0, __ATOMIC_RELAXED);
	} else {
		__atomic_fetch_sub(&l->readers, 1, __ATOMIC_RELAXED);
		g->reading--;
	}
	*h = dh_vec_pop(&g->held);
	return true;
}

/* Makes those let go who cannot have the lock any more. */
static DH_COLD void force_others(const struct dh_guest *g, uint32_t lock, bool readers)
{
	for (struct dh_guest *o = dh_host.guests; o; o = o->next) {
		struct dh_hold *h;
		if (o == g)
			continue;
		while ((h = hold_of(o, lock, true)) ||
		       (readers && (h = hold_of(o, lock, false)))) {
			let_go(o, h, true);
			dh_host.releases_forced++;
		}
	}
	dh_host_next_era();
}

static void hold(struct dh_guest *g, uint32_t lock, bool write)
{
	struct dh_held_lock *l = lock_of(lock);
	dh_vec_push(&g->held, (struct dh_hold){lock, 1, write});
	if (write) {
		__atomic_store_n(&l->writer, g->id + 1, __ATOMIC_RELAXED);
	} else {
		__atomic_fetch_add(&l->readers, 1, __ATOMIC_RELAXED);
		g->reading++;
	}
}

/* Does another guest seem to have what this one has got? */
static bool is_taken(struct dh_guest *g, uint32_t lock, bool write)
{
	const struct dh_held_lock *l = lock_of(lock);
	uint32_t writer = __atomic_load_n(&l->writer, __ATOMIC_RELAXED);
	uint32_t readers = __atomic_load_n(&l->readers, __ATOMIC_RELAXED);
	return (writer && writer != g->id + 1) ||
	       (write && readers > (hold_of(g, lock, false) != NULL));
}

static bool locked(struct dh_guest *g, uintptr_t addr, bool write, uint32_t site,
		   bool alone)
{
	uint32_t lock, message;
	if (!dh_host_number(DH_NAME_LOCK, addr, alone, &lock))
		return false;
	struct dh_hold *h = hold_of(g, lock, write);
	if (h) {
		h->times++;
		return true;
	}
	if (DH_UNLIKELY(is_taken(g, lock, write))) {
		if (!alone)
			return false;
		force_others(g, lock, write);
	}
	if (!dh_host_step(g, write ? DH_ACQUIRE : DH_READ_ACQUIRE, lock, site, alone))
		return false;
	hold(g, lock, write);
	/* Of one who gave back what another had taken. */
	if (DH_UNLIKELY(
		dh_object_find(&dh_host.objects, DH_NAME_MESSAGE, addr, &message)))
		dh_host_step(g, DH_RECEIVE, message, DH_SITE_NONE, alone);
	return true;
}

static bool unlocking(struct dh_guest *g, uintptr_t addr, bool write, bool alone)
{
	uint32_t lock;
	if (!dh_object_find(&dh_host.objects, DH_NAME_LOCK, addr, &lock))
		return true;
	struct dh_hold *h = hold_of(g, lock, write);
	if (!h)
		return true;
	if (h->times == 1)
		return let_go(g, h, alone);
	h->times--;
	return true;
}

/* ---- threads ---- */

static void ended(struct dh_self *t, struct dh_guest *g)
{
	while (g->held.len)
		let_go(g, &g->held.at[g->held.len - 1], true);
	dh_host_feed(g->id, DH_SEND, MESSAGE_ALL, DH_SITE_NONE);
	dh_stream_end(dh_host.stream, g->id, t->state->info->joined);
	t->state->observed = NULL;
	dh_guest_free(g);
}

/* One that is seen dead may be joined later; one that was joined, not again. */
static void joined(const struct dh_guest *g, uint32_t id, uint32_t site)
{
	const struct dh_thread_info *info = dh_thread_by_id(id);
	if (!dh_stream_thread(dh_host.stream, id))
		return;
	dh_host_feed(g->id, DH_JOIN, id, site);
	if (info && __atomic_load_n(&info->joined, __ATOMIC_RELAXED))
		dh_stream_end(dh_host.stream, id, true);
}

static void know_all(struct dh_guest *g)
{
	for (const struct dh_guest *o = dh_host.guests; o; o = o->next)
		if (o != g)
			dh_host_feed(o->id, DH_SEND, MESSAGE_ALL, DH_SITE_NONE);
	dh_host_feed(g->id, DH_RECEIVE, MESSAGE_ALL, DH_SITE_NONE);
	dh_host_next_era();
}

/* In the child of a fork the others are gone, and all that they did was before. */
void dh_host_forked(struct dh_self *t)
{
	struct dh_guest *g = dh_guest_of(t);
	dh_host_enter();
	dh_events_stop();
	know_all(g);
	for (struct dh_guest *o = dh_host.guests, *next; o; o = next) {
		next = o->next;
		while (o != g && o->held.len)
			let_go(o, &o->held.at[o->held.len - 1], true);
		if (o != g)
			dh_guest_free(o);
	}
	dh_host_leave(t);
}

/* ---- the hook ---- */

static bool named(struct dh_guest *g, enum dh_op op, uintptr_t object, bool alone)
{
	uint32_t number;
	return dh_host_number(dh_op_kind(op), object, alone, &number) &&
	       dh_host_step(g, op, number, DH_SITE_NONE, alone);
}

/* An object may be looked at by functions of the C library as well as by atomics in the
 * program (the guard of a static variable): what comes by one way goes out by both. */
static bool send(struct dh_guest *g, uintptr_t object, bool alone)
{
	if (!named(g, DH_SEND, object, alone))
		return false;
	dh_mark_raise(dh_volatile_marks, object);
	return true;
}

static bool receive(struct dh_guest *g, uintptr_t object, bool alone)
{
	uint32_t number;
	if (!named(g, DH_RECEIVE, object, alone))
		return false;
	if (dh_object_find(&dh_host.objects, DH_NAME_VOLATILE, object, &number))
		dh_host_step(g, DH_VOLATILE_READ, number, DH_SITE_NONE, alone);
	return true;
}

static void leave_barrier(struct dh_guest *g, uintptr_t object)
{
	named(g, DH_BARRIER_LEAVE, object, true);
	/* A barrier is passed for all, in MultiRace's LockSet. */
	if (dh_host.stream->episode_closed)
		dh_host_next_era();
}

/* Those that may be told in the gate. */
static bool step(struct dh_guest *g, enum dh_observed what, uintptr_t object,
		 uint32_t site, bool alone)
{
	switch (what) {
	case DH_SEEN_LOCK:
	case DH_SEEN_READ_LOCK:
		return locked(g, object, what == DH_SEEN_LOCK, site, alone);
	case DH_SEEN_UNLOCK:
	case DH_SEEN_READ_UNLOCK:
		return unlocking(g, object, what == DH_SEEN_UNLOCK, alone);
	case DH_SEEN_SEND:
		return send(g, object, alone);
	case DH_SEEN_RECEIVE:
		return receive(g, object, alone);
	default:
		return false;
	}
}

static void step_alone(struct dh_self *t, struct dh_guest *g, enum dh_observed what,
		       uintptr_t object, uint32_t site)
{
	switch (what) {
	case DH_SEEN_BARRIER_ENTER:
		named(g, DH_BARRIER_ENTER, object, true);
		break;
	case DH_SEEN_BARRIER_LEAVE:
		leave_barrier(g, object);
		break;
	case DH_SEEN_FENCE:
		dh_host_fence(g, (int)object);
		break;
	case DH_SEEN_END:
		ended(t, g);
		break;
	case DH_SEEN_FORK:
		dh_host_feed(g->id, DH_FORK, (uint32_t)object, site);
		break;
	case DH_SEEN_JOIN:
		joined(g, (uint32_t)object, site);
		break;
	case DH_SEEN_ALL:
		know_all(g);
		break;
	case DH_SEEN_LAST:  /* what comes before it is told by itself */
	case DH_SEEN_START: /* dh_guest_of() has seen to it */
		break;
	default:
		step(g, what, object, site, true);
		break;
	}
}

void dh_host_sync(struct dh_self *t, enum dh_observed what, uintptr_t object, uint64_t pc)
{
	struct dh_guest *g = dh_guest_of(t);
	uint32_t site = pc ? dh_thread_site(t, pc) : DH_SITE_NONE;
	g->repeats.frame++;
	if (dh_host_share(g)) {
		bool done = step(g, what, object, site, false);
		dh_host_unshare_step(t, g);
		if (done)
			return;
	}
	dh_host_enter();
	step_alone(t, g, what, object, site);
	dh_host_leave(t);
}
