/* SPDX-License-Identifier: MIT */
/* See held.h. Locks are numbered when first taken. */
#include "runtime/racetrack/held.h"
#include "base/lock.h"
#include "base/map.h"
#include "base/mem.h"
#include "runtime/access.h"
#include "runtime/racetrack/step.h"

enum {
	UNTIL = 256, /* places for locks, of each slot; those that share one are one */
	MARKS = 1 << 15,      /* for addresses that have a number, and for */
	MARKED = 64,	      /* pieces of memory of so many bytes with such */
	DOUBTED_MOST = 64,    /* more: all are */
	RANGE_MOST = 1 << 14, /* bytes to be looked at piece by piece */
};

struct dh_lockset_table *dh_rt_locksets;

static struct dh_lock lock;
DH_LOCK_AROUND_FORK(lock, DH_FORK_TABLES);
static struct dh_map ids;  /* under lock: address -> number */
static uint32_t last_id;   /* under lock */
static uint32_t forgotten; /* atomic: how often numbers were taken back */
static uint8_t granules[MARKS / 8], pieces[MARKS / 8]; /* atomic: marks */
static uint32_t doubted[DOUBTED_MOST]; /* numbers; atomic, written under lock */
static uint32_t doubts;		       /* atomic */
static uint32_t *untils[DH_SLOTS];     /* atomic: by place, see dh_rt_held_until() */

void dh_rt_held_init(void)
{
	dh_rt_locksets = dh_lockset_table_new();
}

/* ---- numbers ---- */

/* There may be a lock in the unit of memory of that number. */
static bool is_marked(const uint8_t *marks, uintptr_t unit)
{
	uint32_t at = (uint32_t)(unit * 0x9e3779b1u >> 16) % MARKS;
	return DH_LOAD(&marks[at / 8]) >> at % 8 & 1;
}

/* Under the lock. */
static void mark(uint8_t *marks, uintptr_t unit)
{
	uint32_t at = (uint32_t)(unit * 0x9e3779b1u >> 16) % MARKS;
	DH_STORE(&marks[at / 8], (uint8_t)(marks[at / 8] | 1 << at % 8));
}

static DH_NOINLINE uint32_t number(uintptr_t addr)
{
	bool fresh;
	dh_lock(&lock);
	uint64_t *place = dh_map_put(&ids, addr, &fresh);
	if (fresh)
		*place = ++last_id;
	uint32_t id = (uint32_t)*place;
	mark(granules, addr / DH_GRANULE);
	mark(pieces, addr / MARKED);
	dh_unlock(&lock);
	return id;
}

/* What the thread knows of the lock. */
static struct dh_rt_known *known(struct dh_rt_thread *me, uintptr_t addr)
{
	struct dh_rt_known *k = &me->cache[(addr >> 4 ^ addr >> 10) % DH_RT_LOCK_CACHE];
	uint32_t now = DH_LOAD(&forgotten);
	if (DH_UNLIKELY(me->forgotten != now)) {
		dh_zero(me->cache, sizeof me->cache);
		me->forgotten = now;
	}
	if (DH_UNLIKELY(k->lock != addr)) {
		uint32_t id = number(addr);
		*k = (struct dh_rt_known){
		    .lock = addr,
		    .id = id,
		    .from = DH_LOCKSET_EMPTY,
		    .to = dh_lockset_add(dh_rt_locksets, DH_LOCKSET_EMPTY, id)};
	}
	return k;
}

/* Under the lock. */
static void take_back(uintptr_t addr)
{
	if (dh_map_remove(&ids, addr))
		__atomic_fetch_add(&forgotten, 1, __ATOMIC_RELAXED);
}

static DH_COLD void forget_all(uintptr_t from, uintptr_t to)
{
	for (size_t i = 0; i < ids.cap;) {
		uintptr_t key = ids.slots[i].key;
		if (ids.used[i] && key >= from && key < to)
			take_back(key); /* others move up */
		else
			i++;
	}
}

void dh_rt_held_forget(uintptr_t addr, size_t size)
{
	uintptr_t end = addr + size;
	if (size > RANGE_MOST) {
		dh_lock(&lock);
		forget_all(addr, end);
		dh_unlock(&lock);
		return;
	}
	for (uintptr_t at = addr & -(uintptr_t)MARKED; at < end; at += MARKED) {
		if (DH_LIKELY(!is_marked(pieces, at / MARKED)))
			continue;
		dh_lock(&lock);
		for (uintptr_t byte = DH_MAX(at, addr); byte < DH_MIN(at + MARKED, end);
		     byte++)
			take_back(byte);
		dh_unlock(&lock);
	}
}

/* ---- doubt ---- */

void dh_rt_held_doubt(uintptr_t addr)
{
	if (DH_LIKELY(!is_marked(granules, addr / DH_GRANULE)))
		return;
	dh_lock(&lock);
	const uint64_t *id = dh_map_get(&ids, addr);
	uint32_t n = doubts;
	bool known = n >= DOUBTED_MOST;
	for (uint32_t i = 0; id && i < n && !known; i++)
		known = doubted[i] == *id;
	if (id && !known) {
		DH_STORE(&doubted[n], (uint32_t)*id);
		__atomic_store_n(&doubts, n + 1, __ATOMIC_RELEASE);
	}
	dh_unlock(&lock);
}

bool dh_rt_held_doubtful(dh_lockset locks)
{
	uint32_t n = __atomic_load_n(&doubts, __ATOMIC_ACQUIRE);
	if (DH_LIKELY(!n))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (n == DOUBTED_MOST ||
		    dh_lockset_has(dh_rt_locksets, locks, DH_LOAD(&doubted[i])))
			return true;
	return false;
}

/* ---- when ---- */

void dh_rt_held_move(struct dh_rt_thread *me, uint32_t slot)
{
	for (uint32_t i = 0; me->until && i < me->held_count; i++)
		DH_STORE(&me->until[me->held[i].id % UNTIL],
			 dh_rt_latest[me->slot].clock);
	me->until = slot ? DH_LOAD(&untils[slot]) : NULL;
	if (!slot)
		return;
	if (!me->until) {
		me->until = dh_mem_alloc(UNTIL * sizeof *me->until);
		__atomic_store_n(&untils[slot], me->until, __ATOMIC_RELEASE);
	}
	for (uint32_t i = 0; i < me->held_count; i++)
		DH_STORE(&me->until[me->held[i].id % UNTIL], UINT32_MAX);
}

uint32_t dh_rt_held_until(uint32_t slot, dh_lockset locks)
{
	const uint32_t *until = __atomic_load_n(&untils[slot], __ATOMIC_ACQUIRE);
	uint32_t count, least = UINT32_MAX;
	if (locks == DH_LOCKSET_EMPTY)
		return DH_LOAD(&dh_rt_latest[slot].clock);
	if (!until)
		return 0;
	const uint32_t *items = dh_lockset_items(dh_rt_locksets, locks, &count);
	for (uint32_t i = 0; i < count; i++)
		least = DH_MIN(least, DH_LOAD(&until[items[i] % UNTIL]));
	return least;
}

/* It is not held any more: what was done under it was so by now. */
static void note_end(struct dh_rt_thread *me, uint32_t id)
{
	for (uint32_t i = 0; i < me->held_count; i++)
		if (me->held[i].id % UNTIL == id % UNTIL)
			return;
	DH_STORE(&me->until[id % UNTIL], DH_LOAD(&dh_rt_latest[me->slot].clock));
}

/* ---- taking and leaving ---- */

static struct dh_rt_held *find(struct dh_rt_thread *me, uintptr_t addr)
{
	for (uint32_t i = me->held_count; i > 0; i--)
		if (me->held[i - 1].lock == addr)
			return &me->held[i - 1];
	return NULL;
}

/* A set with the lock. What was asked last is most often asked again. */
static dh_lockset with(struct dh_rt_known *k, dh_lockset set)
{
	if (DH_UNLIKELY(k->from != set)) {
		k->to = dh_lockset_add(dh_rt_locksets, set, k->id);
		k->from = set;
	}
	return k->to;
}

/* The sets do not go by the order any more in which locks were taken. */
static void disturb(struct dh_rt_thread *me)
{
	for (uint32_t i = 0; i < me->held_count; i++)
		me->held[i].nested = false;
}

/* Locks beyond the room count as not held: accesses look less protected. */
void dh_rt_held_take(struct dh_rt_thread *me, uintptr_t addr, bool write)
{
	struct dh_rt_held *h = find(me, addr);
	me->epoch = DH_RT_NO_FRAME;
	if (h) {
		if (write && h->writes++ == 0) {
			me->write = dh_lockset_add(dh_rt_locksets, me->write, h->id);
			disturb(me);
		}
		h->reads += !write;
		return;
	}
	if (me->held_count == DH_RT_HELD_MAX)
		return;
	struct dh_rt_known *k = known(me, addr);
	me->held[me->held_count++] = (struct dh_rt_held){.lock = addr,
							 .id = k->id,
							 .writes = write,
							 .reads = !write,
							 .nested = true,
							 .all = me->all,
							 .write = me->write};
	bool same = me->all == me->write;
	me->all = with(k, me->all);
	if (write)
		me->write = same ? me->all : with(k, me->write);
	/* Before the thread looks at any word (drops_locks() in judge.c). */
	__atomic_exchange_n(&me->until[k->id % UNTIL], UINT32_MAX, __ATOMIC_SEQ_CST);
}

/* It is not held at all any more. */
static void let_go(struct dh_rt_thread *me, struct dh_rt_held *h)
{
	uint32_t id = h->id;
	if (DH_LIKELY(h->nested && h == &me->held[me->held_count - 1])) {
		me->all = h->all;
		me->write = h->write;
		me->held_count--;
	} else {
		me->all = dh_lockset_remove(dh_rt_locksets, me->all, id);
		me->write = dh_lockset_remove(dh_rt_locksets, me->write, id);
		*h = me->held[--me->held_count];
		disturb(me);
	}
	note_end(me, id);
}

void dh_rt_held_leave(struct dh_rt_thread *me, uintptr_t addr, bool write)
{
	struct dh_rt_held *h = find(me, addr);
	if (!h)
		return;
	me->epoch = DH_RT_NO_FRAME;
	if (write && h->writes)
		h->writes--;
	else if (!write && h->reads)
		h->reads--;
	if (!h->writes && !h->reads) {
		let_go(me, h);
	} else if (write && !h->writes) {
		me->write = dh_lockset_remove(dh_rt_locksets, me->write, h->id);
		disturb(me);
	}
}
