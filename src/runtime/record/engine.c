/* SPDX-License-Identifier: MIT */
/*
 * The engine `record`: writes down what the program does, for `deadheat record`.
 *
 * Which accesses. The cells of the shadow are used to recognise repeats, in the form that
 * the fast path in the program knows (access.h), so that a repeat never gets here: a cell
 * has the last write and the last read, whoever made it. A time frame ends at every step
 * of synchronisation, also at an acquire. So of the accesses of one kind that a thread
 * makes to a granule between two such steps the first is recorded, and another one
 * whenever another thread has come in between with a conflicting access. With
 * DH_RING_ALL no cells are kept, and every access is recorded.
 *
 * Which order. An access that finds a conflicting record of another thread in the cell
 * takes a ticket (trace/ring.h), and so comes after it. Two threads in the same few
 * nanoseconds can each miss the other; and the access itself is made after it was told
 * of. So the order of two accesses that race is the likely one and not a certain one.
 *
 * Memory that has just become fresh has empty cells: there an access takes a ticket, too,
 * unless the thread has one that is newer than that.
 *
 * Several threads that read the same memory take turns in the cell. What each of them
 * has recorded in its time frame is kept in a small table of its own.
 */
#include "base/kernel.h"
#include "runtime/access.h"
#include "runtime/missing/reach.h"
#include "runtime/modules.h"
#include "runtime/observer.h"
#include "runtime/record/stream.h"
#include "runtime/report.h"
#include "runtime/text.h"

enum { SEEN = 1024 };

/* A read that is in the stream: of which bytes and when, and the write that the cell had
 * then. */
struct seen {
	uintptr_t granule; /* its number */
	dh_record read, write;
	uint64_t unseen; /* and `unseen` */
};

struct recorder {
	struct dh_stream stream;
	struct touch {
		uintptr_t addr;
		uint64_t pc;
		unsigned size; /* 0: none */
		bool write;
	} touch; /* an atomic access that was told of: what follows says what it is */
	struct seen seen[SEEN];
};

static uint64_t
    last_fresh;		/* atomic: the ticket of the last step that made memory fresh */
static uint64_t unseen; /* atomic: begins and ends of missing methods */
static struct dh_lock nobody_lock;
static struct dh_stream nobody = {.thread = DH_RING_NOBODY}; /* under the lock */
static uint32_t modules_told;				     /* under the lock */

static struct recorder *recorder_of(struct dh_self *t)
{
	if (DH_UNLIKELY(!t->state->observed)) {
		struct recorder *r = dh_mem_alloc(sizeof *r);
		r->stream.thread = t->state->info->id;
		t->state->observed = r;
	}
	return t->state->observed;
}

/* ---- modules ---- */

static void put_word(struct dh_text *to, uint64_t word)
{
	dh_text_bytes(to, (const char *)&word, sizeof word);
}

static void tell_module(const struct dh_module *m)
{
	struct dh_text payload = {0};
	put_word(&payload, dh_text_length(m->path));
	dh_text_bytes(&payload, m->path, dh_text_length(m->path));
	put_word(&payload, m->segments.len);
	for (size_t i = 0; i < m->segments.len; i++) {
		put_word(&payload, m->segments.at[i].start);
		put_word(&payload, m->segments.at[i].end);
		put_word(&payload, m->segments.at[i].offset);
		put_word(&payload, m->segments.at[i].executable);
	}
	dh_stream_bytes(&nobody, dh_raw_head(DH_RAW_MODULE, 0, 0), m->number, payload.at,
			payload.len);
	dh_vec_free(&payload);
}

static DH_COLD void tell_modules(void)
{
	dh_lock(&nobody_lock);
	for (; modules_told < dh_modules_count(); modules_told++)
		tell_module(dh_modules_at(modules_told));
	dh_unlock(&nobody_lock);
}

DH_INLINE void look_at_modules(void)
{
	if (DH_UNLIKELY(dh_modules_count() !=
			__atomic_load_n(&modules_told, __ATOMIC_RELAXED)))
		tell_modules();
}

/* ---- accesses ---- */

static void put_access(struct dh_stream *s, uintptr_t addr, unsigned size, bool write,
		       uint64_t pc, bool met)
{
	uint64_t head = dh_raw_head(write ? DH_RAW_WRITE : DH_RAW_READ, size, pc);
	if (!met && dh_stream_foreseen(s, head, addr))
		return;
	if (!dh_stream_room(s, 3))
		return;
	if (met || dh_stream_due(s))
		dh_stream_ticket(s);
	dh_stream_put(s, head, addr);
}

/* Has memory been made fresh that this thread has not come after yet? */
static bool is_behind(const struct recorder *k)
{
	return k->stream.ticket < __atomic_load_n(&last_fresh, __ATOMIC_RELAXED);
}

static bool is_foreign(dh_record r, uint64_t now)
{
	return r && !dh_record_same_slot(r, now);
}

/* Enters the access into one word of a cell: beside what the thread did in this frame. */
static void enter_word(dh_record *word, dh_record rec)
{
	dh_record old = DH_LOAD(word);
	if (dh_record_same_epoch(old, rec) && !dh_record_atomic(old))
		rec = dh_record_joined(old, rec);
	DH_STORE(word, rec);
}

enum finding { REPEAT, ALONE, MET };

static struct seen *seen_of(struct recorder *k, uintptr_t addr)
{
	return &k->seen[addr / DH_GRANULE % SEEN];
}

/* Nothing has come in between, be it a write or what nobody sees. */
static bool is_known(const struct seen *s, uintptr_t addr, dh_record write)
{
	return s->granule == addr / DH_GRANULE && s->write == write &&
	       s->unseen == __atomic_load_n(&unseen, __ATOMIC_RELAXED);
}

static enum finding look_for_write(struct recorder *k, const struct dh_cell *c,
				   uint64_t now, unsigned mask)
{
	dh_record w = DH_LOAD(&c->write), r = DH_LOAD(&c->read);
	if (dh_record_covers(w, now, mask))
		return REPEAT;
	if (!(w | r) && is_behind(k))
		return MET;
	return is_foreign(w, now) || is_foreign(r, now) ? MET : ALONE;
}

static enum finding look_for_read(struct recorder *k, const struct dh_cell *c,
				  uintptr_t addr, uint64_t now, unsigned mask)
{
	dh_record w = DH_LOAD(&c->write), r = DH_LOAD(&c->read);
	if (dh_record_covers(r, now, mask) || dh_record_covers(w, now, mask))
		return REPEAT;
	const struct seen *s = seen_of(k, addr);
	if (is_known(s, addr, w) && dh_record_covers(s->read, now, mask))
		return REPEAT;
	if (!w && is_behind(k))
		return MET;
	return is_foreign(w, now) ? MET : ALONE;
}

/* NULL where every access is to be recorded, or there is no memory. */
static struct dh_cell *cell_of(uintptr_t addr)
{
	return DH_UNLIKELY(dh_ring->filter & DH_RING_ALL) ? NULL : dh_shadow_cell(addr);
}

/* What is known of an access to bytes of one granule. */
static enum finding look(struct dh_self *t, struct recorder *k, uintptr_t addr,
			 unsigned size, bool write)
{
	const struct dh_cell *c = cell_of(addr);
	unsigned mask = dh_mask_of(addr, size);
	if (DH_UNLIKELY(!c))
		return MET;
	return write ? look_for_write(k, c, t->now, mask)
		     : look_for_read(k, c, addr, t->now, mask);
}

/* Once the access is in the stream: who finds it in the cell comes after it. */
static void enter(struct dh_self *t, struct recorder *k, uintptr_t addr, unsigned size,
		  bool write)
{
	struct dh_cell *c = cell_of(addr);
	dh_record rec = dh_record_make(t->now, dh_mask_of(addr, size), false, 0);
	if (DH_UNLIKELY(!c))
		return;
	if (write) {
		enter_word(&c->write, rec);
		if (is_foreign(DH_LOAD(&c->read), t->now))
			DH_STORE(&c->read, 0);
		return;
	}
	dh_record w = DH_LOAD(&c->write);
	struct seen *s = seen_of(k, addr);
	enter_word(&c->read, rec);
	if (is_known(s, addr, w) && dh_record_same_epoch(s->read, rec))
		rec = dh_record_joined(s->read, rec);
	*s = (struct seen){addr / DH_GRANULE, rec, w,
			   __atomic_load_n(&unseen, __ATOMIC_RELAXED)};
}

/* The end of the granule that addr is in, but not beyond end. */
static uintptr_t granule_end(uintptr_t addr, uintptr_t end)
{
	return DH_MIN(end, (addr | (DH_GRANULE - 1)) + 1);
}

static void put_range(struct dh_self *t, struct recorder *k, uintptr_t addr, size_t size,
		      bool write, uint64_t pc)
{
	uintptr_t end = addr + size, at, stop;
	enum finding all = REPEAT;
	for (at = addr; at < end && all != MET; at = stop) {
		stop = granule_end(at, end);
		enum finding f = look(t, k, at, (unsigned)(stop - at), write);
		all = DH_MAX(all, f);
	}
	if (all == REPEAT)
		return;
	dh_stream_valued(
	    &k->stream,
	    dh_raw_head(write ? DH_RAW_WRITE_RANGE : DH_RAW_READ_RANGE, 0, pc), addr,
	    size);
	for (at = addr; at < end; at = stop) {
		stop = granule_end(at, end);
		enter(t, k, at, (unsigned)(stop - at), write);
	}
}

/* It was none of an atomic operation: of a lock to its own memory, for one. */
static DH_COLD void put_touch_slow(struct recorder *k)
{
	struct dh_stream *s = &k->stream;
	struct touch p = k->touch;
	k->touch.size = 0;
	uint64_t head = dh_raw_head(
	    DH_RAW_TOUCH, p.size | (p.write ? DH_RAW_ATOMIC_WRITES : 0), p.pc);
	if (!is_behind(k) && dh_stream_foreseen(s, head, p.addr))
		return;
	if (!dh_stream_room(s, 3))
		return;
	if (is_behind(k) || dh_stream_due(s))
		dh_stream_ticket(s);
	dh_stream_put(s, head, p.addr);
}

DH_INLINE void put_touch(struct recorder *k)
{
	if (DH_UNLIKELY(k->touch.size))
		put_touch_slow(k);
}

/* The stream for something that is no access. */
static struct dh_stream *stream_of(struct dh_self *t)
{
	struct recorder *k = recorder_of(t);
	put_touch(k);
	return &k->stream;
}

static void access(struct dh_self *t, uintptr_t addr, size_t size, unsigned flags,
		   uint64_t pc)
{
	bool write = flags & DH_ACCESS_WRITE;
	if (DH_UNLIKELY(!dh_ring_open()))
		return;
	struct recorder *k = recorder_of(t);
	put_touch(k);
	if (DH_UNLIKELY(flags & DH_ACCESS_ATOMIC)) {
		k->touch = (struct touch){addr, pc, DH_MIN((unsigned)size, 16u), write};
		return;
	}
	t->dirty |= DH_DIRTY_RECORD;
	if (DH_UNLIKELY(size > DH_GRANULE - (addr & 7))) {
		put_range(t, k, addr, size, write, pc);
		return;
	}
	enum finding f = look(t, k, addr, (unsigned)size, write);
	if (f == REPEAT)
		return;
	put_access(&k->stream, addr, (unsigned)size, write, pc, f == MET);
	enter(t, k, addr, (unsigned)size, write);
}

/* ---- synchronisation ---- */

static void put(struct dh_self *t, uint64_t head, uint64_t object)
{
	struct dh_stream *s = stream_of(t);
	look_at_modules();
	if (!dh_stream_room(s, 3))
		return;
	dh_stream_ticket(s);
	dh_stream_put(s, head, object);
}

/* What follows is not the same as what went before. */
static void end_frame(struct dh_self *t)
{
	if (t->dirty) {
		dh_thread_tick_slow(t);
		t->dirty |= DH_DIRTY_NEWS;
	}
}

static void end_thread(struct dh_self *t)
{
	struct recorder *k = recorder_of(t);
	const char *name = t->state->info->name;
	if (*name)
		dh_stream_bytes(&k->stream, dh_raw_head(DH_RAW_NAME, 0, 0), 0, name,
				dh_text_length(name));
	dh_stream_close(&k->stream);
	t->state->observed = NULL;
	dh_mem_free(k, sizeof *k);
}

static bool acquires(enum dh_observed what)
{
	return what == DH_SEEN_LOCK || what == DH_SEEN_READ_LOCK ||
	       what == DH_SEEN_RECEIVE || what == DH_SEEN_BARRIER_LEAVE;
}

/* The use of a lock's own memory counts as made while it is held. */
static void sync(struct dh_self *t, enum dh_observed what, uintptr_t object, uint64_t pc)
{
	if (!dh_ring_open() && what != DH_SEEN_END)
		return;
	struct recorder *k = recorder_of(t);
	struct touch touch = k->touch;
	if (acquires(what))
		k->touch.size = 0;
	put(t, dh_raw_head(DH_RAW_SYNC, what, pc), object);
	if (acquires(what))
		k->touch = touch;
	put_touch(k);
	end_frame(t);
	if (what == DH_SEEN_END)
		end_thread(t);
}

static void atomic(struct dh_self *t, enum dh_observed_atomic what, uintptr_t addr,
		   unsigned size, int order, uint64_t pc)
{
	(void)order;
	if (!dh_ring_open())
		return;
	/* Whether a compare-exchange writes is told with the access. */
	struct recorder *k = recorder_of(t);
	bool same = k->touch.size && k->touch.addr == addr;
	bool writes = what == DH_ATOMIC_STORING ||
		      (what == DH_ATOMIC_MODIFYING && same && k->touch.write);
	if (same)
		k->touch.size = 0;
	put(t,
	    dh_raw_head(DH_RAW_ATOMIC,
			size | (unsigned)what << DH_RAW_ATOMIC_SHIFT |
			    (writes ? DH_RAW_ATOMIC_WRITES : 0),
			pc),
	    addr);
	end_frame(t);
}

/* ---- calls of functions that are not seen ---- */

static void put_reach(struct dh_stream *s, const struct dh_reach *reach)
{
	_Static_assert(sizeof(struct dh_reached) == sizeof(struct dh_raw), "payload");
	for (size_t at = 0; at < reach->len;) {
		size_t n = DH_MIN(reach->len - at, (size_t)DH_RING_PAYLOAD_MAX);
		dh_stream_bytes(s, dh_raw_head(DH_RAW_REACH, 0, 0), 0, reach->at + at,
				n * sizeof *reach->at);
		at += n;
	}
}

/* What such a function may use, when it begins and when it ends, is as if it was fresh:
 * so whoever touches it next is recorded, and comes after that. And what the thread
 * itself does is no repeat of what it did before. */
static void put_unseen(struct dh_self *t, const struct dh_reach *reach)
{
	__atomic_store_n(&last_fresh, recorder_of(t)->stream.ticket, __ATOMIC_RELAXED);
	__atomic_fetch_add(&unseen, reach->len != 0, __ATOMIC_SEQ_CST);
	for (size_t i = 0; i < reach->len; i++)
		dh_shadow_wipe(reach->at[i].start, reach->at[i].size);
	end_frame(t);
}

static void call(struct dh_self *t, const char *name, uint64_t pc,
		 const struct dh_reach *reach)
{
	if (!dh_ring_open())
		return;
	struct dh_stream *s = stream_of(t);
	look_at_modules();
	put_reach(s, reach);
	dh_stream_bytes(s, dh_raw_head(DH_RAW_CALL, 0, pc), 0, name,
			DH_MIN(dh_text_length(name), (size_t)DH_RING_PAYLOAD_MAX));
	put_unseen(t, reach);
}

static void come_back(struct dh_self *t, const char *name, uint64_t pc,
		      const struct dh_reach *reach)
{
	(void)name;
	if (!dh_ring_open())
		return;
	put(t, dh_raw_head(DH_RAW_RETURN, 0, pc), 0);
	put_unseen(t, reach);
}

/* ---- memory ---- */

static void put_fresh(struct dh_stream *s, enum dh_raw_kind kind, uintptr_t addr,
		      size_t size)
{
	dh_shadow_wipe(addr, size);
	dh_stream_valued(s, dh_raw_head(kind, 0, 0), addr, size);
	__atomic_store_n(&last_fresh, s->ticket, __ATOMIC_RELAXED);
}

static void alloc(struct dh_self *t, uintptr_t base, size_t size, uint32_t site)
{
	(void)site;
	if (dh_ring_open())
		put_fresh(stream_of(t), DH_RAW_ALLOC, base, size);
}

static void release(struct dh_self *t, uintptr_t base, size_t size, uint32_t site,
		    uint64_t pc)
{
	(void)site;
	if (dh_ring_open())
		dh_stream_valued(stream_of(t), dh_raw_head(DH_RAW_FREE, 0, pc), base,
				 size);
}

static void fresh(uintptr_t addr, size_t size)
{
	struct dh_self *t = dh_thread_self();
	if (!dh_ring_open())
		return;
	if (t->state) {
		put_fresh(stream_of(t), DH_RAW_FRESH, addr, size);
		return;
	}
	dh_lock(&nobody_lock);
	put_fresh(&nobody, DH_RAW_FRESH, addr, size);
	dh_unlock(&nobody_lock);
}

/* ---- start and end ---- */

static void start(struct dh_self *t)
{
	(void)t;
	dh_ring_attach();
}

static void forked(struct dh_self *t)
{
	if (dh_ring)
		__atomic_fetch_add(&dh_ring->forked, 1, __ATOMIC_RELAXED);
	dh_ring_detach();
	nobody_lock = (struct dh_lock){0};
	if (t->state->observed)
		dh_mem_free(t->state->observed, sizeof(struct recorder));
	t->state->observed = NULL;
}

static void finish(void)
{
	if (!dh_ring_open())
		return;
	dh_modules_scan();
	tell_modules();
}

static size_t counters(struct dh_report_counter *room, size_t max)
{
	if (!max || !dh_ring)
		return 0;
	*room = (struct dh_report_counter){
	    "records_lost", __atomic_load_n(&dh_ring->lost, __ATOMIC_RELAXED), true};
	return 1;
}

const struct dh_observer dh_observer_record = {
    .name = "record",
    .start = start,
    .access = access,
    .sync = sync,
    .atomic = atomic,
    .alloc = alloc,
    .free = release,
    .missing_begin = call,
    .missing_end = come_back,
    .fresh = fresh,
    .forked = forked,
    .finish = finish,
    .counters = counters,
};
