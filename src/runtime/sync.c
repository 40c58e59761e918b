/* SPDX-License-Identifier: MIT */
/*
 * The table of synchronisation objects; see sync.h.
 *
 * Buckets are chosen by granule, so that all objects in one granule share a bucket. A
 * look-up walks the chain without a lock (glance.h), locks the object it finds and
 * makes sure that it is still the one; objects are reused as objects only, so a walker
 * never touches foreign memory. One that found nothing, or was led astray, looks again
 * under the bucket's lock.
 *
 * `pages` counts objects per page (hashed), so that freeing memory that holds none
 * costs one load per page.
 */
#include "runtime/sync.h"
#include "base/mem.h"
#include "runtime/glance.h"
#include "runtime/observer.h"
#include "runtime/resume.h"

enum { PAGES_BITS = 16, PAGE_BITS = 12 };

struct dh_sync_bucket dh_sync_table[1 << DH_SYNC_TABLE_BITS];

static uint32_t pages[1 << PAGES_BITS]; /* atomic */
static struct dh_lock pool_lock;
DH_LOCK_AROUND_FORK(pool_lock, DH_FORK_TABLES);
static struct dh_sync *pool; /* under pool_lock */
static uint64_t objects;     /* atomic */

static uint32_t *page_of(uintptr_t addr)
{
	return &pages[(addr >> PAGE_BITS) * DH_SYNC_SPREAD >> (64 - PAGES_BITS)];
}

static struct dh_sync *from_pool(void)
{
	dh_lock(&pool_lock);
	struct dh_sync *s = pool;
	if (s)
		pool = s->next;
	dh_unlock(&pool_lock);
	return s ? s : dh_mem_alloc(sizeof *s);
}

static void to_pool(struct dh_sync *s)
{
	dh_lock(&pool_lock);
	__atomic_store_n(&s->next, pool, __ATOMIC_RELEASE);
	pool = s;
	dh_unlock(&pool_lock);
}

bool dh_sync_neighbours;

static void look_for_neighbours(const struct dh_sync *s, uintptr_t addr)
{
	for (; s; s = s->next)
		if (s->addr / DH_GRANULE == addr / DH_GRANULE)
			__atomic_store_n(&dh_sync_neighbours, true, __ATOMIC_RELAXED);
}

static DH_COLD struct dh_sync *lock_slow(struct dh_sync_bucket *b, uintptr_t addr, bool make)
{
	dh_lock(&b->lock);
	struct dh_sync *s = dh_sync_walk(b, addr);
	if (!s && make) {
		look_for_neighbours(b->head, addr);
		s = from_pool();
		__atomic_store_n(&s->addr, addr, __ATOMIC_RELAXED);
		__atomic_store_n(&s->next, b->head, __ATOMIC_RELAXED);
		__atomic_fetch_add(page_of(addr), 1, __ATOMIC_RELAXED);
		__atomic_fetch_add(&objects, 1, __ATOMIC_RELAXED);
		__atomic_store_n(&b->head, s, __ATOMIC_RELEASE);
	}
	if (s)
		dh_brief_lock(&s->lock);
	dh_unlock(&b->lock);
	return s;
}

struct dh_sync *dh_sync_lock(uintptr_t addr, bool make)
{
	bool certain;
	struct dh_sync *s = dh_sync_lock_found(addr, &certain);
	if (DH_LIKELY(s || (certain && !make)))
		return s;
	return lock_slow(dh_sync_bucket(addr), addr, make);
}

/* ---- releasing and acquiring ---- */

void dh_sync_take(struct dh_self *t, uintptr_t addr)
{
	struct dh_glance g;
	if (DH_LIKELY(dh_glance_begin(&g, t, addr, true) && dh_glance_end(&g, addr)))
		return;
	dh_enter_runtime(t);
	struct dh_sync *s = dh_sync_lock(addr, false);
	if (s) {
		dh_clockset_learn(t, &s->clock);
		dh_note_learned(t, s, true);
		dh_sync_unlock(s);
	}
	dh_leave_runtime(t);
}

/* A release, by which the time frame ends, in read mode or not. again: the thread may be
 * the next to take the lock (resume.h). */
static void leave(struct dh_self *t, uintptr_t addr, bool read, bool again)
{
	dh_enter_runtime(t);
	uint64_t frame = t->epoch;
	struct dh_sync *s = dh_sync_lock(addr, true);
	if (read) {
		dh_clockset_join(&s->readers, t); /* no change to other readers */
	} else {
		dh_sync_changing(s);
		dh_clockset_assign(&s->clock, t);
	}
	uint32_t changes = s->changes + (s->changes & 1);
	dh_sync_unlock(s);
	dh_thread_tick(t);
	if (again)
		dh_resume_note(t, s, changes, frame);
	dh_leave_runtime(t);
}

void dh_sync_leave(struct dh_self *t, uintptr_t addr)
{
	leave(t, addr, false, false);
}

void dh_sync_unlocking(struct dh_self *t, uintptr_t addr)
{
	leave(t, addr, false, true);
}

void dh_sync_acquire(struct dh_self *t, uintptr_t addr)
{
	dh_sync_take(t, addr);
	dh_saw(t, DH_SEEN_RECEIVE, addr, 0);
}

void dh_sync_release(struct dh_self *t, uintptr_t addr)
{
	dh_saw(t, DH_SEEN_SEND, addr, 0);
	dh_sync_leave(t, addr);
}

void dh_sync_release_join(struct dh_self *t, uintptr_t addr)
{
	dh_saw(t, DH_SEEN_SEND, addr, 0);
	dh_enter_runtime(t);
	struct dh_sync *s = dh_sync_lock(addr, true);
	dh_sync_changing(s);
	dh_clockset_join(&s->clock, t);
	dh_sync_unlock(s);
	dh_thread_tick(t);
	dh_leave_runtime(t);
}

void dh_sync_release_kept(struct dh_self *t, uintptr_t addr)
{
	dh_saw(t, DH_SEEN_SEND, addr, 0);
	dh_enter_runtime(t);
	struct dh_sync *s = dh_sync_lock(addr, true);
	dh_sync_changing(s);
	dh_clockset_join(&s->clock, t);
	dh_clockset_join(&s->readers, t);
	dh_sync_unlock(s);
	dh_thread_tick(t);
	dh_leave_runtime(t);
}

void dh_sync_acquire_kept(struct dh_self *t, uintptr_t addr)
{
	dh_enter_runtime(t);
	struct dh_sync *s = dh_sync_lock(addr, false);
	if (s) {
		dh_clockset_learn(t, &s->clock);
		dh_clockset_learn(t, &s->readers);
		dh_clockset_learn(t, &s->past);
		dh_sync_unlock(s);
	}
	dh_leave_runtime(t);
	dh_saw(t, DH_SEEN_RECEIVE, addr, 0);
}

void dh_sync_read_release(struct dh_self *t, uintptr_t addr)
{
	leave(t, addr, true, false);
}

void dh_sync_read_unlocking(struct dh_self *t, uintptr_t addr)
{
	leave(t, addr, true, true);
}

void dh_sync_write_acquire(struct dh_self *t, uintptr_t addr)
{
	dh_enter_runtime(t);
	struct dh_sync *s = dh_sync_lock(addr, false);
	if (s) {
		dh_clockset_learn(t, &s->clock);
		dh_clockset_learn(t, &s->readers);
		dh_sync_unlock(s);
	}
	dh_leave_runtime(t);
}

void dh_sync_write_release(struct dh_self *t, uintptr_t addr)
{
	dh_enter_runtime(t);
	struct dh_sync *s = dh_sync_lock(addr, true);
	dh_sync_changing(s);
	dh_clockset_assign(&s->clock, t);
	/* The writer has learned what the readers left: its clock stands for it. */
	dh_clockset_free(&s->readers);
	dh_sync_unlock(s);
	dh_thread_tick(t);
	dh_leave_runtime(t);
}

/* ---- forgetting ---- */

static void empty(struct dh_sync *s)
{
	dh_brief_lock(&s->lock);
	dh_sync_changing(s);
	__atomic_fetch_sub(page_of(s->addr), 1, __ATOMIC_RELAXED);
	__atomic_fetch_sub(&objects, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&s->addr, 0, __ATOMIC_RELAXED);
	dh_clockset_free(&s->clock);
	dh_clockset_free(&s->readers);
	dh_clockset_free(&s->past);
	dh_mem_free(s->weak.at, s->weak.len * sizeof *s->weak.at);
	s->weak = (struct dh_weak_clock){0};
	s->created_at = 0;
	__atomic_store_n(&s->size, 0, __ATOMIC_RELAXED);
	s->name[0] = 0;
	dh_sync_unlock(s);
}

/* Takes all objects of a bucket that lie in [from, to) out. */
static void forget_in(struct dh_sync_bucket *b, uintptr_t from, uintptr_t to)
{
	dh_lock(&b->lock);
	struct dh_sync **link = &b->head;
	while (*link) {
		struct dh_sync *s = *link;
		if (s->addr < from || s->addr >= to) {
			link = &s->next;
			continue;
		}
		__atomic_store_n(&b->removals, b->removals + 1, __ATOMIC_RELAXED);
		__atomic_store_n(link, s->next, __ATOMIC_RELEASE);
		empty(s);
		to_pool(s);
		__atomic_store_n(&b->removals, b->removals + 1, __ATOMIC_RELEASE);
	}
	dh_unlock(&b->lock);
}

void dh_sync_forget(uintptr_t addr)
{
	struct dh_sync_bucket *b = dh_sync_bucket(addr);
	if (DH_UNLIKELY(dh_observer != NULL))
		dh_observe_forget(addr, 1);
	if (!__atomic_load_n(&b->head, __ATOMIC_ACQUIRE))
		return;
	dh_enter_runtime(dh_thread_self());
	forget_in(b, addr, addr + 1);
	dh_leave_runtime(dh_thread_self());
}

static void forget_all_in(uintptr_t from, uintptr_t to)
{
	for (size_t i = 0; i < DH_ARRAY_LEN(dh_sync_table); i++)
		if (__atomic_load_n(&dh_sync_table[i].head, __ATOMIC_ACQUIRE))
			forget_in(&dh_sync_table[i], from, to);
}

void dh_sync_forget_range(uintptr_t addr, size_t size)
{
	uintptr_t end = addr + size;
	if (DH_UNLIKELY(dh_observer != NULL))
		dh_observe_forget(addr, size);
	dh_enter_runtime(dh_thread_self());
	if (DH_UNLIKELY(size >> PAGE_BITS > DH_ARRAY_LEN(dh_sync_table))) {
		forget_all_in(addr, end);
		addr = end;
	}
	for (uintptr_t at = addr; at < end;) {
		uintptr_t stop = DH_MIN(end, ((at >> PAGE_BITS) + 1) << PAGE_BITS);
		if (__atomic_load_n(page_of(at), __ATOMIC_RELAXED)) {
			for (uintptr_t g = at & ~(uintptr_t)7; g < stop; g += DH_GRANULE) {
				struct dh_sync_bucket *b = dh_sync_bucket(g);
				if (__atomic_load_n(&b->head, __ATOMIC_ACQUIRE))
					forget_in(b, DH_MAX(g, addr),
						  DH_MIN(g + DH_GRANULE, end));
			}
		}
		at = stop;
	}
	dh_leave_runtime(dh_thread_self());
}

/* ---- moving ---- */

/* What the object at addr holds, taken out of it; false where there is none. */
static bool take_out(uintptr_t addr, struct dh_sync *held)
{
	struct dh_sync *s = dh_sync_lock(addr, false);
	if (!s)
		return false;
	dh_sync_changing(s);
	*held = *s;
	s->clock = s->readers = s->past = (struct dh_clockset){0};
	s->weak = (struct dh_weak_clock){0};
	dh_sync_unlock(s);
	forget_in(dh_sync_bucket(addr), addr, addr + 1);
	return true;
}

static void put_in(uintptr_t addr, const struct dh_sync *held)
{
	struct dh_sync *s = dh_sync_lock(addr, true);
	dh_sync_changing(s);
	s->clock = held->clock;
	s->readers = held->readers;
	s->past = held->past;
	s->weak = held->weak;
	s->created_at = held->created_at;
	s->kind = held->kind;
	__atomic_store_n(&s->size, held->size, __ATOMIC_RELAXED);
	dh_copy(s->name, held->name, sizeof s->name);
	dh_sync_unlock(s);
}

void dh_sync_move(uintptr_t from, uintptr_t to, size_t size)
{
	const bool up = to > from;
	struct dh_sync held;
	dh_enter_runtime(dh_thread_self());
	for (size_t i = 0; i < size; i++) {
		size_t at = up ? size - 1 - i : i; /* none is overwritten before its turn */
		if (__atomic_load_n(page_of(to + at), __ATOMIC_RELAXED))
			forget_in(dh_sync_bucket(to + at), to + at, to + at + 1);
		if (__atomic_load_n(page_of(from + at), __ATOMIC_RELAXED) &&
		    take_out(from + at, &held))
			put_in(to + at, &held);
	}
	dh_leave_runtime(dh_thread_self());
}

void dh_sync_describe(uintptr_t addr, enum dh_sync_kind kind, uint32_t site,
		      const char *name)
{
	dh_enter_runtime(dh_thread_self());
	struct dh_sync *s = dh_sync_lock(addr, true);
	s->kind = (uint8_t)kind;
	if (site)
		s->created_at = site;
	for (size_t i = 0; name && i < DH_NAME_MAX - 1; i++)
		if (!(s->name[i] = name[i]))
			break;
	dh_sync_unlock(s);
	dh_leave_runtime(dh_thread_self());
}

uint64_t dh_sync_count(void)
{
	return __atomic_load_n(&objects, __ATOMIC_RELAXED);
}

/* ---- after a fork ---- */

/* Locked by a thread that is no more: what it was about to change may be half done. Its
 * clocks can go, because the child knows all that was before the fork. */
static void mend(struct dh_sync *s)
{
	s->lock = (struct dh_brief){0};
	s->changes += s->changes & 1;
	s->clock = s->readers = s->past = (struct dh_clockset){0};
}

void dh_sync_after_fork(void)
{
	for (size_t i = 0; i < DH_ARRAY_LEN(dh_sync_table); i++) {
		struct dh_sync_bucket *b = &dh_sync_table[i];
		if (!b->head && !b->lock.word)
			continue;
		b->lock = (struct dh_lock){0};
		b->removals += b->removals & 1;
		for (struct dh_sync *s = b->head; s; s = s->next)
			if (s->lock.word)
				mend(s);
	}
}
