/* SPDX-License-Identifier: MIT */
/* The parts of edges.h that take the object's lock, and fences. The rules are there. */
#include "runtime/edges.h"
#include "base/mem.h"
#include "runtime/give_way.h"
#include "runtime/observer.h"

/* The thread reads a value that belongs to this clock. */
static void learn(struct dh_self *t, const struct dh_clockset *c, bool acquires)
{
	struct dh_thread_state *s = t->state;
	if (acquires) {
		dh_clockset_learn(t, c);
	} else if (!dh_clockset_known(c, t)) {
		if (!s->fence_acquire)
			s->fence_acquire = dh_mem_alloc(sizeof *s->fence_acquire);
		dh_clockset_merge(s->fence_acquire, c);
	}
}

DH_NOINLINE void dh_edge_lock(struct dh_edge *e, uintptr_t addr, bool make)
{
	/* A bad address shall fault here, while no lock is held. */
	__asm__ volatile("" : : "r"(*(const volatile uint8_t *)addr));
	bool certain;
	struct dh_sync *s = dh_sync_find(addr, &certain);
	if (s && DH_UNLIKELY(dh_brief_held(&s->lock)))
		dh_give_way((uintptr_t)&s->changes);
	dh_enter_runtime(e->t);
	e->held = s ? dh_sync_lock_as(s, addr) : NULL;
	if (DH_UNLIKELY(!e->held))
		e->held = dh_sync_lock(addr, make);
	e->glance.object = NULL;
	if (!e->held)
		dh_leave_runtime(e->t);
	else if (make)
		dh_sync_changing(e->held);
}

/* The thread reads a value of the location, which is locked. */
static void learn_from(struct dh_self *t, const struct dh_sync *s, bool acquires)
{
	uint32_t now = s->changes & ~1u; /* what it was before the lock was taken */
	if ((acquires || !dh_fences_are(DH_FENCES_NONE)) &&
	    !dh_has_learned(t, s, now, acquires))
		learn(t, &s->clock, acquires);
}

DH_NOINLINE void dh_edge_loaded(struct dh_edge *e, int mo)
{
	bool acquires = dh_acquires(mo);
	learn_from(e->t, e->held, acquires);
	dh_note_learned(e->t, e->held, acquires);
	dh_sync_unlock(e->held);
	dh_leave_runtime(e->t);
}

DH_NOINLINE void dh_edge_modified(struct dh_edge *e, int mo, bool wrote)
{
	struct dh_self *t = e->t;
	struct dh_sync *s = e->held;
	bool acquires = dh_acquires(mo), released = wrote && dh_releases(mo);
	if (released && DH_LIKELY(dh_clockset_advance(&s->clock, t))) {
		dh_sync_unlock(s);
		dh_thread_tick(t);
		dh_leave_runtime(t);
		return;
	}
	learn_from(t, s, acquires);
	if (released)
		dh_clockset_join(&s->clock, t);
	else if (wrote && t->state->fence_release)
		dh_clockset_merge(&s->clock, t->state->fence_release);
	/* What was added is the thread's own. */
	dh_note_learned(t, s, acquires);
	dh_sync_unlock(s);
	if (released)
		dh_thread_tick(t);
	dh_leave_runtime(t);
}

DH_COLD void dh_edge_missed(uintptr_t addr, int mo)
{
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	struct dh_sync *s = dh_sync_lock(addr, false);
	if (s) {
		learn(t, &s->clock, dh_acquires(mo));
		learn(t, &s->past, dh_acquires(mo));
		dh_sync_unlock(s);
	}
	dh_leave_runtime(t);
}

/* Those in one bucket that share bytes with it. True: nothing was taken out of its chain
 * meanwhile, which would lead out of it. */
static bool find_others(const struct dh_sync_bucket *b, uintptr_t addr, unsigned size,
			uintptr_t found[DH_GRANULE], unsigned *n)
{
	uint32_t before = __atomic_load_n(&b->removals, __ATOMIC_ACQUIRE);
	const struct dh_sync *s = __atomic_load_n(&b->head, __ATOMIC_ACQUIRE);
	for (*n = 0; s && *n < DH_GRANULE; s = __atomic_load_n(&s->next, __ATOMIC_ACQUIRE)) {
		const uintptr_t at = __atomic_load_n(&s->addr, __ATOMIC_RELAXED);
		const unsigned bytes = __atomic_load_n(&s->size, __ATOMIC_RELAXED);
		if (at != addr && at < addr + size && addr < at + bytes)
			found[(*n)++] = at;
	}
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return before == __atomic_load_n(&b->removals, __ATOMIC_RELAXED) && !(before & 1);
}

static void learn_others_in(const struct dh_sync_bucket *b, uintptr_t addr, unsigned size,
			    int mo)
{
	enum { TRIES = 64 };
	uintptr_t found[DH_GRANULE];
	unsigned n = 0;
	for (int i = 0; i < TRIES && !find_others(b, addr, size, found, &n); i++)
		;
	for (unsigned i = 0; i < n; i++)
		dh_edge_missed(found[i], mo);
}

DH_NOINLINE void dh_edge_learn_others(uintptr_t addr, unsigned size, int mo)
{
	if (dh_reads_for_nothing(mo) || !dh_watched())
		return;
	learn_others_in(dh_sync_bucket(addr), addr, size, mo);
	if (size > DH_GRANULE)
		learn_others_in(dh_sync_bucket(addr + DH_GRANULE), addr, size, mo);
	else if (addr / DH_GRANULE % 2)
		learn_others_in(dh_sync_bucket(addr - DH_GRANULE), addr, size, mo);
}

/* Who reads the second half of sixteen bytes finds something there, and looks further. */
DH_COLD void dh_edge_grow(struct dh_sync *s, unsigned size)
{
	if (size > DH_GRANULE) {
		struct dh_sync *upper = dh_sync_lock(s->addr + DH_GRANULE, true);
		dh_sync_unlock(upper);
		__atomic_store_n(&dh_sync_neighbours, true, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&s->size, (uint8_t)size, __ATOMIC_RELAXED);
}

/* Begins a release sequence. */
static void replace(struct dh_sync *s, struct dh_self *t, bool releases)
{
	const struct dh_clockset *fence = t->state->fence_release;
	dh_sync_changing(s);
	/* What the thread publishes has all that it knows; a fence's clock may not. */
	if (s->clock.len && !(releases && dh_clockset_known(&s->clock, t)))
		dh_clockset_merge(&s->past, &s->clock);
	if (releases) {
		if (!dh_clockset_advance(&s->clock, t))
			dh_clockset_assign(&s->clock, t);
		dh_thread_tick(t);
	} else if (fence) {
		dh_clockset_copy(&s->clock, fence);
	} else {
		dh_clockset_clear(&s->clock);
	}
}

DH_NOINLINE void dh_edge_store_lock(struct dh_edge *e, uintptr_t addr, int mo)
{
	bool releases = dh_releases(mo);
	dh_edge_lock(e, addr, releases || e->t->state->fence_release);
	if (e->held)
		replace(e->held, e->t, releases);
}

DH_NOINLINE void dh_edge_stored(struct dh_edge *e)
{
	dh_sync_unlock(e->held);
	dh_leave_runtime(e->t);
}

/* ---- fences ---- */

/* What the thread read as long as there were no fences was not put by. It may have been of
 * anybody. */
static void make_up(struct dh_self *t)
{
	if (dh_fences_are(DH_FENCES_LATE) && !t->state->made_up) {
		t->state->made_up = true;
		dh_thread_know_all(t);
	}
}

static void fence_acquire(struct dh_self *t)
{
	struct dh_clockset *c = t->state->fence_acquire;
	make_up(t);
	if (!c)
		return;
	dh_clockset_learn(t, c);
	dh_clockset_clear(c);
	for (int i = 0; i < DH_LEARNED; i++)
		t->state->learned[i].acquired = true;
}

static void fence_release(struct dh_self *t)
{
	struct dh_thread_state *s = t->state;
	if (!s->fence_release)
		s->fence_release = dh_mem_alloc(sizeof *s->fence_release);
	dh_clockset_assign(s->fence_release, t);
	dh_thread_tick(t);
}

void dh_edge_fence(int mo)
{
	struct dh_self *t = dh_watched();
	if (!t)
		return;
	dh_saw(t, DH_SEEN_FENCE, (uintptr_t)mo, 0);
	dh_enter_runtime(t);
	if (dh_acquires(mo))
		fence_acquire(t);
	if (dh_releases(mo))
		fence_release(t);
	dh_leave_runtime(t);
}
