/* SPDX-License-Identifier: MIT */
/*
 * Synchronisation objects: what a mutex, an atomic variable, a semaphore, ... carries
 * from who releases to who acquires. Found by the address of the program's object, made
 * when first released, dropped when the memory is freed or the object destroyed.
 *
 * All functions but the clock ones below take the calling thread's state, keep the
 * object's own lock only while they run, and may be called at the same time by any
 * number of threads. They allocate; they raise `inside` themselves.
 */
#ifndef DH_RUNTIME_SYNC_H
#define DH_RUNTIME_SYNC_H

#include "runtime/slots.h"
#include "runtime/thread.h"

/*
 * A clock outside a thread. Grows as needed; zero-initialised is empty.
 *
 * A clock that one thread published as a whole carries that thread's slot and the clock
 * that it published of itself, `when`. No thread publishes two different clocks under
 * one `when`: to learn something ends a time frame, as an access does. So whoever has
 * slot's clock from `when` on has everything else that is in here: it got that clock
 * from a publication of the same thread that was no earlier, directly or through others.
 */
struct dh_clockset {
	uint32_t *at;     /* by slot */
	uint32_t len;     /* entries in use; 0: empty */
	uint32_t room;    /* entries allocated */
	uint32_t from;    /* 0, or the name of the one thread whose clock this is, */
	uint32_t version; /* with the version it had: then a release by it changes one
			     entry, and an acquire by it is no news */
	uint32_t slot;    /* 0, or see above */
	uint32_t when;
};

void dh_clockset_free(struct dh_clockset *c);

/* Empty; the room stays. */
void dh_clockset_clear(struct dh_clockset *c);

/* c <- the thread's clock / joined with it / joined with another / another. After
 * its clock was taken the thread's time frame must end (dh_thread_tick()) before it
 * accesses or learns anything. */
void dh_clockset_assign(struct dh_clockset *c, const struct dh_self *t);
void dh_clockset_join(struct dh_clockset *c, const struct dh_self *t);
void dh_clockset_merge(struct dh_clockset *c, const struct dh_clockset *from);
void dh_clockset_copy(struct dh_clockset *c, const struct dh_clockset *from);

/* c <- joined with one entry. */
void dh_clockset_note(struct dh_clockset *c, uint32_t slot, uint32_t clock);

/* The thread's clock <- joined with c. */
void dh_clockset_learn(struct dh_self *t, const struct dh_clockset *c);

/* Joins where the clock was the thread's already, and has but to go on; else false. */
DH_INLINE bool dh_clockset_advance(struct dh_clockset *c, const struct dh_self *t)
{
	uint32_t slot = (uint32_t)(t->epoch >> DH_SLOT_SHIFT), now = t->vc[slot];
	if (c->from != t->state->name || c->version != t->state->version ||
	    c->slot != slot || now + 1 >= DH_RECORD_CLOCK_MAX)
		return false;
	c->at[slot] = now - !t->dirty;
	__atomic_store_n(&c->when, now - !t->dirty, __ATOMIC_RELAXED);
	return true;
}

/* Does the thread know for sure all that is in c? False may also mean that it would
 * take more than a look to tell. */
DH_INLINE bool dh_clockset_known(const struct dh_clockset *c, const struct dh_self *t)
{
	uint32_t slot = __atomic_load_n(&c->slot, __ATOMIC_RELAXED);
	uint32_t when = __atomic_load_n(&c->when, __ATOMIC_RELAXED);
	if (!__atomic_load_n(&c->len, __ATOMIC_RELAXED))
		return true;
	return slot && when <= t->vc[slot] &&
	       !__atomic_load_n(&dh_slots_vague, __ATOMIC_RELAXED);
}

/* A clock as engines other than fasttrack keep it beside. Zero-initialised is empty. */
struct dh_weak_clock {
	uint32_t *at; /* by slot */
	uint32_t len;
};

/* ---- objects ---- */

enum dh_sync_kind { DH_SYNC_MUTEX, DH_SYNC_RWLOCK, DH_SYNC_ATOMIC, DH_SYNC_OTHER };

struct dh_sync {
	struct dh_sync *next;
	uintptr_t addr;
	struct dh_brief lock;       /* for everything below */
	uint32_t changes;           /* of clock and past; odd while one is under way */
	struct dh_clockset clock;   /* what releases left */
	struct dh_clockset readers; /* what read-mode releases and annotations left */
	struct dh_clockset past;    /* what was in clock once, was replaced, and was not
				       known to who replaced it (abi_atomic.c) */
	struct dh_weak_clock weak;  /* what an engine keeps here (racetrack/weak.h) */
	uint32_t created_at;        /* site, or 0 */
	uint8_t kind;
	uint8_t size; /* atomic: of an atomic variable that something was released
			 through, its bytes, the most that were told; else 0 */
	char name[DH_NAME_MAX];
};

/* The object at addr, locked; made where make is true, else NULL where missing. */
struct dh_sync *dh_sync_lock(uintptr_t addr, bool make);

/* Before clock or past of a locked object is changed (glance.h). The release fence
 * keeps the change, and what the program's own operation writes, behind the count. */
DH_INLINE void dh_sync_changing(struct dh_sync *s)
{
	__atomic_store_n(&s->changes, s->changes | 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

DH_INLINE void dh_sync_unlock(struct dh_sync *s)
{
	if (s->changes & 1)
		__atomic_store_n(&s->changes, s->changes + 1, __ATOMIC_RELEASE);
	dh_brief_unlock(&s->lock);
}

/* A release and an acquire on whatever is at addr, but for locks; engines are told
 * (observer.h). acquire of an object that nobody released costs one look-up. */
void dh_sync_acquire(struct dh_self *t, uintptr_t addr);
void dh_sync_release(struct dh_self *t, uintptr_t addr);       /* replaces: a guard */
void dh_sync_release_join(struct dh_self *t, uintptr_t addr);  /* adds: a semaphore */

/* Annotations. What is released is added, and stays whatever is stored to an atomic
 * variable at the same address. An acquire is after all that was released there, also by
 * a value of that variable that another has covered. */
void dh_sync_release_kept(struct dh_self *t, uintptr_t addr);
void dh_sync_acquire_kept(struct dh_self *t, uintptr_t addr);

/* Locks. Engines are told where they are noted as held: dh_held_add(), dh_held_remove()
 * go with these. */
void dh_sync_take(struct dh_self *t, uintptr_t addr);
void dh_sync_leave(struct dh_self *t, uintptr_t addr);

/* The same as leave, of a lock that one thread has at a time, where the thread does
 * dh_resume() (resume.h) before each take. */
void dh_sync_unlocking(struct dh_self *t, uintptr_t addr);

/* Reader-writer locks: in read mode, an acquire is ordered after writers only; in
 * write mode after all. */
void dh_sync_read_release(struct dh_self *t, uintptr_t addr);
void dh_sync_read_unlocking(struct dh_self *t, uintptr_t addr); /* with dh_resume() */
void dh_sync_write_acquire(struct dh_self *t, uintptr_t addr);
void dh_sync_write_release(struct dh_self *t, uintptr_t addr);

/* The memory is gone or means something else now. */
void dh_sync_forget(uintptr_t addr);
void dh_sync_forget_range(uintptr_t addr, size_t size);

/* The memory has moved, and these with it; what was at its new place is gone. The two may
 * overlap. */
void dh_sync_move(uintptr_t from, uintptr_t to, size_t size);

/* Names and creation, for reports. */
void dh_sync_describe(uintptr_t addr, enum dh_sync_kind kind, uint32_t site,
		      const char *name);

uint64_t dh_sync_count(void);

/* After a fork of a process with several threads, in the child, once its thread knows
 * all that was before (dh_threads_after_fork()). */
void dh_sync_after_fork(void);

#endif
