/* SPDX-License-Identifier: MIT */
/*
 * See lock_log.h. The ring is given up a part at a time: when the head comes to a part,
 * its entries are gone, but those of locks that are still held are written again, and the
 * last clock at which one of the others was held is kept. So an answer is whole if the
 * frame is later than that clock, and a held lock has its entry however long ago it was
 * taken.
 *
 * A thread that goes on for long uses up slots, and their rings would be as many. A ring
 * that is given to another slot is first taken from the old one, and who reads it looks
 * last of all whether it is still there.
 */
#include "runtime/lock_log.h"
#include "base/lock.h"
#include "base/mem.h"

_Static_assert((int)DH_HELD_MAX < (int)DH_LOCK_LOG_PART, "what is held fits into a part");
_Static_assert((int)DH_RECORD_CLOCK_MAX < (int)DH_LOCK_LOG_WRITE,
	       "a clock leaves the flags alone");

/* Instead of a ring: there was one. */
#define GONE ((struct dh_lock_log *)1)

static struct dh_lock_log *logs[DH_SLOTS]; /* atomic, by slot */

/* By slot: the one that its thread had before, whose ring goes after so many parts; of
 * the thread that has the slot. */
static struct former {
	uint32_t slot;
	uint32_t parts;
} former[DH_SLOTS];

static struct dh_lock lock;
DH_LOCK_AROUND_FORK(lock, DH_FORK_TABLES);
static struct dh_lock_log *nobodys; /* under lock */

static uint32_t slot_of(const struct dh_self *t)
{
	return (uint32_t)(t->epoch >> DH_SLOT_SHIFT);
}

static uint32_t clock_of(uint32_t step)
{
	return step & DH_RECORD_CLOCK_MAX;
}

/* ---- writing ---- */

static struct dh_lock_log *take_nobodys(void)
{
	dh_lock(&lock);
	struct dh_lock_log *log = nobodys;
	if (log)
		nobodys = log->next;
	dh_unlock(&lock);
	return log;
}

/* What is done to the ring between these two, whoever reads meanwhile reads in vain. (A
 * process that was forked in between begins anew.) */
static void begin(struct dh_lock_log *log)
{
	__atomic_store_n(&log->round, log->round | 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

static void end(struct dh_lock_log *log)
{
	__atomic_store_n(&log->round, log->round + 1, __ATOMIC_RELEASE);
}

/* The fence: who still reads it for the old slot, and meets something new, finds it gone
 * from there. */
static void empty(struct dh_lock_log *log)
{
	__atomic_thread_fence(__ATOMIC_RELEASE);
	begin(log);
	__atomic_store_n(&log->head, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&log->first, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&log->dropped, 0, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < DH_LOCK_LOG_ENTRIES; i++)
		__atomic_store_n(&log->at[i].to, 0, __ATOMIC_RELAXED);
	end(log);
}

static struct dh_lock_log *make(uint32_t slot)
{
	struct dh_lock_log *log = take_nobodys();
	if (log)
		empty(log);
	else
		log = dh_mem_alloc(sizeof *log);
	log->slot = slot;
	__atomic_store_n(&logs[slot], log, __ATOMIC_RELEASE);
	return log;
}

/* The ring of a slot that is used up is for another one. */
static void retire(uint32_t slot)
{
	struct dh_lock_log *log = logs[slot];
	__atomic_store_n(&logs[slot], GONE, __ATOMIC_RELAXED);
	dh_lock(&lock);
	log->next = nobodys;
	nobodys = log;
	dh_unlock(&lock);
}

/* A part of the slot's ring has been given up. */
static void count_part(uint32_t slot)
{
	struct former *f = &former[slot];
	if (DH_LIKELY(!f->slot) || --f->parts)
		return;
	retire(f->slot);
	f->slot = 0;
}

/* The entries of the part that begins at the head are about to be written over. */
static void give_up(struct dh_lock_log *log)
{
	uint32_t dropped = log->dropped;
	uint64_t after = log->head + DH_LOCK_LOG_PART;
	const struct dh_lock_log_entry *e = &log->at[log->head % DH_LOCK_LOG_ENTRIES];
	for (uint32_t i = 0; i < DH_LOCK_LOG_PART; i++)
		dropped = DH_MAX(dropped, clock_of(e[i].to));
	__atomic_store_n(&log->dropped, dropped, __ATOMIC_RELAXED);
	if (after > DH_LOCK_LOG_ENTRIES)
		__atomic_store_n(&log->first, after - DH_LOCK_LOG_ENTRIES,
				 __ATOMIC_RELAXED);
}

DH_COLD bool dh_lock_log_prepare(struct dh_self *t)
{
	struct dh_thread_state *s = t->state;
	struct dh_lock_log_entry was[DH_HELD_MAX];
	uint32_t slot = slot_of(t);
	if (!slot)
		return false;
	if (!s->lock_log)
		s->lock_log = make(slot);
	struct dh_lock_log *log = s->lock_log;
	uint32_t part = (uint32_t)(log->head % DH_LOCK_LOG_ENTRIES) / DH_LOCK_LOG_PART;
	count_part(slot);
	begin(log);
	give_up(log);
	for (uint32_t i = 0; i < s->held_count; i++)
		was[i] = log->at[s->held[i].entry];
	for (uint32_t i = 0; i < s->held_count; i++)
		if (s->held[i].entry / DH_LOCK_LOG_PART == part)
			dh_lock_log_put(log, &s->held[i], was[i].from, was[i].back);
	end(log);
	return true;
}

/* What a thread holds when its clock is full it takes along to the new slot. */
void dh_lock_log_attach(struct dh_self *t)
{
	enum { PARTS = DH_LOCK_LOG_ENTRIES / DH_LOCK_LOG_PART };
	struct dh_thread_state *s = t->state;
	uint32_t slot = slot_of(t);
	if (s->lock_log && former[slot].slot)
		retire(former[slot].slot);
	if (s->lock_log)
		former[slot] = (struct former){s->lock_log->slot, PARTS + 1};
	s->lock_log = slot ? __atomic_load_n(&logs[slot], __ATOMIC_RELAXED) : NULL;
	if (!s->lock_log && slot && s->held_count)
		s->lock_log = make(slot);
	for (uint32_t i = 0; s->lock_log && i < s->held_count; i++) {
		if (s->lock_log->head % DH_LOCK_LOG_PART == 0) {
			begin(s->lock_log);
			give_up(s->lock_log);
			end(s->lock_log);
		}
		dh_lock_log_put(s->lock_log, &s->held[i],
				dh_lock_log_from(t, &s->held[i]), 0);
	}
}

void dh_lock_log_detach(struct dh_self *t)
{
	for (uint32_t i = 0; i < t->state->held_count; i++)
		dh_lock_log_release(t, &t->state->held[i]);
}

void dh_lock_log_close(uint32_t slot, uint32_t clock)
{
	struct dh_lock_log *log = logs[slot];
	for (uint32_t i = 0; log && i < DH_LOCK_LOG_ENTRIES; i++)
		if (log->at[i].from && !log->at[i].to)
			log->at[i].to = clock;
}

/* ---- reading ---- */

/* A lock that was held for that time, in the frame of that clock: 0 not at all when the
 * frame may have got a record, 1 perhaps, 2 for sure. */
static int held_in(uint32_t from, uint32_t to, uint32_t clock)
{
	if (clock_of(from) > clock || (to && clock_of(to) < clock))
		return 0;
	bool ends = to && clock_of(to) == clock;
	if (ends && !(to & DH_LOCK_LOG_RECORDED))
		return 0;
	bool begins = clock_of(from) == clock && (from & DH_LOCK_LOG_RECORDED);
	return ends || begins ? 1 : 2;
}

/* A lock can have been taken several times in a frame. */
static void add_maybe(struct dh_lock_log_answer *out, const struct dh_held *h)
{
	for (uint32_t i = 0; i < out->maybe_count; i++)
		if (out->maybe[i].lock == h->lock)
			return;
	if (out->maybe_count < DH_HELD_MAX)
		out->maybe[out->maybe_count++] = *h;
}

static uint32_t depth_of(uint32_t node)
{
	uint32_t depth = 0;
	for (; node; node = dh_context_parent(dh_contexts, node))
		depth++;
	return depth;
}

/* How deep the stacks of two sites are the same. */
static uint32_t in_common(uint32_t a, uint32_t b)
{
	uint32_t x = dh_site_node(dh_contexts, a), y = dh_site_node(dh_contexts, b);
	uint32_t down = depth_of(x), other = depth_of(y);
	for (; x != y; down = DH_MIN(down, other)) {
		if (down >= other) {
			x = dh_context_parent(dh_contexts, x);
			down--;
		} else {
			y = dh_context_parent(dh_contexts, y);
			other--;
		}
	}
	return down;
}

/* Is the lock more likely to have been taken at site a than at b, for an access at site?
 * The one that has more of its stack in common; within one function, the last one before
 * the access. */
static bool is_nearer(uint32_t a, uint32_t b, uint32_t site)
{
	uint32_t node = dh_site_node(dh_contexts, site);
	uint32_t common = in_common(a, site), other = in_common(b, site);
	if (common != other || dh_site_node(dh_contexts, a) != node ||
	    dh_site_node(dh_contexts, b) != node)
		return common > other;
	uint64_t pc = dh_site_pc(dh_contexts, site);
	uint64_t ahead = pc - dh_site_pc(dh_contexts, a); /* behind it: very large */
	return ahead < pc - dh_site_pc(dh_contexts, b);
}

/* In a frame that was gone back to, the lock, which the answer has, was also taken
 * elsewhere. */
static void also_taken(struct dh_held *at, uint32_t count, const struct dh_held *h,
		       uint32_t site)
{
	for (uint32_t i = 0; i < count; i++)
		if (at[i].lock == h->lock && is_nearer(h->site, at[i].site, site))
			at[i].site = h->site;
}

static void look_at(const struct dh_lock_log_entry *e, uint32_t clock, uint32_t site,
		    struct dh_lock_log_answer *out)
{
	uint32_t from = __atomic_load_n(&e->from, __ATOMIC_RELAXED);
	int held = held_in(from, __atomic_load_n(&e->to, __ATOMIC_RELAXED), clock);
	struct dh_held h = {.lock = __atomic_load_n(&e->lock, __ATOMIC_RELAXED),
			    .site = __atomic_load_n(&e->site, __ATOMIC_RELAXED),
			    .write = from & DH_LOCK_LOG_WRITE};
	if (held == 2 && out->sure_count < DH_HELD_MAX)
		out->sure[out->sure_count++] = h;
	if (held == 1)
		add_maybe(out, &h);
	if (__atomic_load_n(&e->back, __ATOMIC_RELAXED) == clock) {
		also_taken(out->sure, out->sure_count, &h, site);
		also_taken(out->maybe, out->maybe_count, &h, site);
	}
}

/* A part is given up in less than a microsecond, unless its thread has no processor. */
static void wait_for_end(const struct dh_lock_log *log)
{
	enum { SPINS = 100 };
	for (int i = 0; i < SPINS && __atomic_load_n(&log->round, __ATOMIC_RELAXED) & 1;
	     i++)
		dh_breathe();
}

/* True where nobody gave up a part meanwhile, or all of it: what was read is then what
 * was written. */
static bool read_all(uint32_t slot, const struct dh_lock_log *log, uint32_t clock,
		     uint32_t site, bool *known, struct dh_lock_log_answer *out)
{
	uint32_t round = __atomic_load_n(&log->round, __ATOMIC_ACQUIRE);
	uint64_t head = __atomic_load_n(&log->head, __ATOMIC_ACQUIRE);
	uint64_t first = __atomic_load_n(&log->first, __ATOMIC_RELAXED);
	out->sure_count = out->maybe_count = 0;
	*known = clock > __atomic_load_n(&log->dropped, __ATOMIC_RELAXED);
	for (uint64_t i = first; *known && i < head; i++)
		look_at(&log->at[i % DH_LOCK_LOG_ENTRIES], clock, site, out);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return !(round & 1) && __atomic_load_n(&log->round, __ATOMIC_RELAXED) == round &&
	       __atomic_load_n(&logs[slot], __ATOMIC_RELAXED) == log;
}

bool dh_lock_log_find(uint32_t slot, uint32_t clock, uint32_t site,
		      struct dh_lock_log_answer *out)
{
	enum { ATTEMPTS = 8 };
	const struct dh_lock_log *log = __atomic_load_n(&logs[slot], __ATOMIC_ACQUIRE);
	out->sure_count = out->maybe_count = 0;
	if (!log) /* no thread of the slot has ever held a lock */
		return true;
	bool known = false, whole = false;
	for (int i = 0; i < ATTEMPTS && !whole && log != GONE; i++) {
		wait_for_end(log);
		whole = read_all(slot, log, clock, site, &known, out);
	}
	if (whole && known)
		return true;
	out->sure_count = out->maybe_count = 0;
	return false;
}
