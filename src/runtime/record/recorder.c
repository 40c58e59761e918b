/* SPDX-License-Identifier: MIT */
/* See recorder.h. */
#include "runtime/record/recorder.h"
#include "base/mem.h"
#include "runtime/attempt.h"
#include "runtime/cells.h"
#include "runtime/missing/reach.h"
#include "runtime/observer.h"

uint64_t dh_recorder_fresh, dh_recorder_unseen;
enum dh_recorder_mode dh_recorder_mode;

/* Of threads that have ended, for those to come: pages that are there already. atomic */
enum { SPARE = 8 };
static struct dh_recorder *spare[SPARE];

void dh_recorder_free(struct dh_recorder *k)
{
	for (unsigned i = 0; i < SPARE; i++) {
		struct dh_recorder *none = NULL;
		if (__atomic_compare_exchange_n(&spare[i], &none, k, false,
						__ATOMIC_RELEASE, __ATOMIC_RELAXED))
			return;
	}
	dh_mem_free(k, sizeof *k);
}

static struct dh_recorder *take_spare(void)
{
	for (unsigned i = 0; i < SPARE; i++) {
		struct dh_recorder *k =
		    __atomic_exchange_n(&spare[i], NULL, __ATOMIC_ACQUIRE);
		if (k)
			return k;
	}
	return NULL;
}

/* The table of reads may stay as it is: no time frame comes twice. */
struct dh_recorder *dh_recorder_new(struct dh_self *t)
{
	struct dh_recorder *k = take_spare();
	if (k)
		dh_zero(&k->stream, sizeof k->stream);
	else
		k = dh_mem_alloc(sizeof *k);
	k->touch.size = 0;
	k->stream.thread = t->state->info->id;
	t->state->observed = k;
	return k;
}

static DH_NOINLINE void put_unforeseen(struct dh_stream *s, uint64_t head, uintptr_t addr,
				       bool met)
{
	if (!dh_stream_room(s, 3))
		return;
	if (met || dh_stream_due(s))
		dh_stream_ticket(s);
	dh_stream_put(s, head, addr);
}

DH_INLINE void put(struct dh_stream *s, uint64_t head, uintptr_t addr, bool met)
{
	if (DH_UNLIKELY(met) || !dh_stream_foreseen(s, head, addr))
		put_unforeseen(s, head, addr, met);
}

/* Has memory been made fresh that this thread has not come after yet? */
DH_INLINE bool is_behind(const struct dh_recorder *k)
{
	return k->stream.ticket < __atomic_load_n(&dh_recorder_fresh, __ATOMIC_RELAXED);
}

/* ---- reads of several threads ---- */

static struct dh_seen *seen_of(struct dh_recorder *k, uintptr_t addr)
{
	return &k->seen[addr / DH_GRANULE % DH_RECORDER_SEEN];
}

/* Nothing has come in between, be it a write or what nobody sees. */
static bool is_known(const struct dh_seen *s, uintptr_t addr, dh_record write)
{
	return s->granule == addr / DH_GRANULE && s->write == write &&
	       s->unseen == __atomic_load_n(&dh_recorder_unseen, __ATOMIC_RELAXED);
}

/* Has another thread read it, in what may be the same time? */
DH_INLINE bool is_shared(struct dh_self *t, dh_record read)
{
	return !dh_record_same_slot(read, t->now) && !dh_all_ordered(t, read);
}

DH_INLINE void note_set(struct dh_self *t, dh_record set, unsigned mask)
{
	if (!t->state->handler_count)
		dh_note_known(t, set, mask);
}

/* Then: has this one, too, in its time frame? */
static bool has_read(struct dh_self *t, struct dh_recorder *k, uintptr_t addr,
		     unsigned mask, dh_record write, dh_record read)
{
	const struct dh_seen *s = seen_of(k, addr);
	if (dh_sets_is_set(read)) {
		unsigned own = dh_sets_own(t, read);
		note_set(t, read, own);
		return !(mask & ~own);
	}
	return is_known(s, addr, write) && dh_record_covers(s->read, t->now, mask);
}

/* The memo of the set of both, where it is another one than before; else NULL. */
DH_INLINE const struct dh_set_memo *set_at_hand(struct dh_self *t, dh_record read,
						dh_record rec)
{
	const struct dh_set_memo *m = dh_set_memo_of(t, read, rec);
	if (m->old != read || m->rec != rec || m->made == read)
		return NULL;
	t->state->read_sets.hits++;
	return m;
}

/* The set of both; 0 where sets do not pay. */
static dh_record set_with(struct dh_self *t, dh_record read, dh_record rec)
{
	struct dh_thread_state *s = t->state;
	struct dh_set_memo *m = dh_set_memo_of(t, read, rec);
	bool fresh = false;
	if (set_at_hand(t, read, rec))
		return m->made;
	if (!dh_sets_pay(&s->read_sets, DH_WORTH_READS))
		return 0;
	dh_record made = dh_sets_add(read, rec, NULL, false, &fresh);
	dh_sets_made(&s->read_sets, made, fresh);
	dh_memo_note(t, &s->memo, m, read, rec, made);
	return made;
}

/* What the reads of a cell are to be, with one more; it is noted where they do not show
 * it. */
static DH_NOINLINE dh_record with_shared(struct dh_self *t, struct dh_recorder *k,
					 uintptr_t addr, dh_record rec,
					 const struct dh_cell *was)
{
	dh_record made = set_with(t, was->read, rec);
	if (made) {
		note_set(t, made, dh_record_mask(rec));
		return made;
	}
	struct dh_seen *s = seen_of(k, addr);
	dh_record all = rec;
	if (is_known(s, addr, was->write) && dh_record_same_epoch(s->read, rec))
		all = dh_record_joined(s->read, rec);
	*s = (struct dh_seen){addr / DH_GRANULE, all, was->write,
			      __atomic_load_n(&dh_recorder_unseen, __ATOMIC_RELAXED)};
	return rec;
}

/* ---- cells ---- */

enum finding { REPEAT, ALONE, MET };

DH_INLINE enum finding look_for_write(struct dh_self *t, const struct dh_recorder *k,
				      const struct dh_cell *c, unsigned mask)
{
	dh_record w = DH_LOAD(&c->write), r = DH_LOAD(&c->read);
	if (dh_record_covers(w, t->now, mask))
		return REPEAT;
	if (!(w | r))
		return is_behind(k) ? MET : ALONE;
	return dh_is_ordered(t->vc, w) && dh_all_ordered(t, r) ? ALONE : MET;
}

DH_INLINE enum finding look_for_read(struct dh_self *t, struct dh_recorder *k,
				     const struct dh_cell *c, uintptr_t addr,
				     unsigned mask)
{
	dh_record w = DH_LOAD(&c->write), r = DH_LOAD(&c->read);
	if (dh_record_covers(r, t->now, mask) || dh_record_covers(w, t->now, mask))
		return REPEAT;
	if (DH_UNLIKELY(is_shared(t, r)) && has_read(t, k, addr, mask, w, r))
		return REPEAT;
	if (!w)
		return is_behind(k) ? MET : ALONE;
	return dh_is_ordered(t->vc, w) ? ALONE : MET;
}

DH_INLINE enum finding look(struct dh_self *t, struct dh_recorder *k,
			    const struct dh_cell *c, uintptr_t addr, unsigned mask,
			    bool write)
{
	if (DH_UNLIKELY(!c))
		return MET;
	return write ? look_for_write(t, k, c, mask) : look_for_read(t, k, c, addr, mask);
}

DH_INLINE struct dh_cell cell_at(const struct dh_cell *c)
{
	return (struct dh_cell){DH_LOAD(&c->write), DH_LOAD(&c->read)};
}

/* The record beside what the thread did in this frame. */
DH_INLINE dh_record beside(dh_record old, dh_record rec)
{
	return dh_record_same_epoch(old, rec) && !dh_record_atomic(old)
		   ? dh_record_joined(old, rec)
		   : rec;
}

/* Enters the access into its cell, once it is in the stream: who finds it there comes
 * after it. Returns what the cell is then. */
DH_INLINE struct dh_cell enter(struct dh_self *t, struct dh_recorder *k,
			       struct dh_cell *c, uintptr_t addr, unsigned mask,
			       bool write)
{
	const dh_record rec = dh_record_make(t->now, mask, false, 0);
	struct dh_cell is = cell_at(c);
	if (!(is.write | is.read))
		dh_warm_expect(c);
	if (write) {
		DH_STORE(&c->write, is.write = beside(is.write, rec));
		if (is.read && !dh_record_same_slot(is.read, t->now))
			DH_STORE(&c->read, is.read = 0);
	} else {
		is.read = DH_UNLIKELY(is_shared(t, is.read))
			      ? with_shared(t, k, addr, rec, &is)
			      : beside(is.read, rec);
		DH_STORE(&c->read, is.read);
	}
	return is;
}

/* NULL where every access is to be recorded, or there is no memory. */
DH_INLINE struct dh_cell *cell_of(uintptr_t addr)
{
	return DH_UNLIKELY(dh_recorder_is(DH_RECORDER_ALL)) ? NULL : dh_shadow_cell(addr);
}

/* ---- accesses ---- */

/* A part of a range: bytes of one granule, or whole granules with their cells one behind
 * the other. */
struct part {
	uintptr_t at;
	size_t granules;
	unsigned mask;
	struct dh_cell *cell;
};

static struct part part_of(uintptr_t at, uintptr_t end)
{
	struct part p = {at, 1, DH_WHOLE, cell_of(at)};
	uintptr_t stop = DH_MIN(end, (at | (DH_GRANULE - 1)) + 1);
	if (stop - at < DH_GRANULE) {
		p.mask = dh_mask_of(at, (unsigned)(stop - at));
	} else if (p.cell && dh_flat_base(at) > 1) {
		uintptr_t rest = ((uintptr_t)1 << DH_PIECE_BITS) - (uint32_t)at;
		p.granules = DH_MIN(end - at, rest) / DH_GRANULE;
	}
	return p;
}

static uintptr_t part_end(const struct part *p)
{
	return (p->at & ~(uintptr_t)(DH_GRANULE - 1)) + p->granules * DH_GRANULE;
}

/* The greatest of what is found. Neighbours are often alike: then one look is enough,
 * unless it was the table of reads that told of a repeat. */
DH_INLINE enum finding look_at_part(struct dh_self *t, struct dh_recorder *k,
				    const struct part *p, bool write)
{
	enum finding all = look(t, k, p->cell, p->at, p->mask, write);
	const struct dh_cell *c = p->cell;
	for (size_t i = 1; i < p->granules && all != MET;) {
		i += dh_cells_repeat(c + i, p->granules - i, t->now, !write);
		if (i == p->granules)
			break;
		const struct dh_cell was = cell_at(c + i);
		enum finding f =
		    look(t, k, c + i, p->at + i * DH_GRANULE, DH_WHOLE, write);
		all = DH_MAX(all, f);
		i++;
		if (p->granules - i >= DH_CELLS &&
		    (f == ALONE || dh_sets_is_set(was.read)))
			i += dh_cells_alike(c + i, p->granules - i, &was);
	}
	return all;
}

DH_INLINE void enter_part(struct dh_self *t, struct dh_recorder *k, const struct part *p,
			  bool write)
{
	struct dh_cell *c = p->cell;
	if (!c)
		return;
	for (size_t i = 0; i < p->granules;) {
		const struct dh_cell was = cell_at(c + i);
		const struct dh_cell is =
		    enter(t, k, c + i, p->at + i * DH_GRANULE, p->mask, write);
		i++;
		if (p->granules - i >= DH_CELLS)
			i += dh_cells_renew(c + i, p->granules - i, &was, &is, 0);
	}
}

DH_INLINE void range(struct dh_self *t, struct dh_recorder *k, uintptr_t addr,
		     uintptr_t end, bool write, uint64_t pc)
{
	enum { COMMON = 3 }; /* a beginning, whole granules, an end */
	struct part parts[COMMON], p;
	enum finding all = REPEAT;
	unsigned n = 0, i = 0;
	for (uintptr_t at = addr; at < end && all != MET; at = part_end(&p)) {
		p = part_of(at, end);
		enum finding f = look_at_part(t, k, &p, write);
		all = DH_MAX(all, f);
		if (n < COMMON)
			parts[n++] = p;
	}
	if (all == REPEAT)
		return;
	if (!dh_recorder_is(DH_RECORDER_SILENT))
		dh_stream_valued(
		    &k->stream,
		    dh_raw_head(write ? DH_RAW_WRITE_RANGE : DH_RAW_READ_RANGE, 0, pc),
		    addr, end - addr, all == MET ? DH_STREAM_OWN : DH_STREAM_ANY);
	for (uintptr_t at = addr; at < end; at = part_end(&p)) {
		p = i < n ? parts[i++] : part_of(at, end);
		enter_part(t, k, &p, write);
	}
}

static DH_NOINLINE void put_range(struct dh_self *t, struct dh_recorder *k,
				  uintptr_t addr, uintptr_t end, bool write, uint64_t pc)
{
	if (write)
		range(t, k, addr, end, true, pc);
	else
		range(t, k, addr, end, false, pc);
}

/* Within a granule, whose cell is c. */
DH_INLINE void one(struct dh_self *t, struct dh_recorder *k, struct dh_cell *c,
		   uintptr_t addr, unsigned size, bool write, uint64_t pc)
{
	unsigned mask = dh_mask_of(addr, size);
	enum finding f = look(t, k, c, addr, mask, write);
	if (f == REPEAT)
		return;
	if (DH_LIKELY(!dh_recorder_is(DH_RECORDER_SILENT)))
		put(&k->stream, dh_raw_head(write ? DH_RAW_WRITE : DH_RAW_READ, size, pc),
		    addr, f == MET);
	if (DH_LIKELY(c != NULL))
		enter(t, k, c, addr, mask, write);
}

void dh_recorder_access(struct dh_self *t, uintptr_t addr, size_t size, unsigned flags,
			uint64_t pc)
{
	bool write = flags & DH_ACCESS_WRITE;
	if (DH_UNLIKELY(!dh_ring_open()))
		return;
	struct dh_recorder *k = dh_recorder_of(t);
	dh_recorder_touch(k);
	if (DH_UNLIKELY(flags & DH_ACCESS_ATOMIC)) {
		k->touch =
		    (struct dh_touch){addr, pc, DH_MIN((unsigned)size, 16u), write};
		return;
	}
	t->dirty |= DH_DIRTY_RECORD;
	if (DH_UNLIKELY(size > DH_GRANULE - (addr & 7)))
		put_range(t, k, addr, addr + size, write, pc);
	else if (write)
		one(t, k, cell_of(addr), addr, (unsigned)size, true, pc);
	else
		one(t, k, cell_of(addr), addr, (unsigned)size, false, pc);
}

/* ---- the common case ---- */

/* May such an access be dealt with here? */
DH_INLINE bool is_common(const struct dh_recorder *k, const struct dh_cell *c,
			 uintptr_t addr, unsigned size)
{
	return DH_LIKELY(c && k && !k->touch.size && size <= DH_GRANULE - (addr & 7) &&
			 dh_recorder_is(DH_RECORDER_FIRST) &&
			 !__atomic_load_n(&dh_stamp_now, __ATOMIC_RELAXED) &&
			 !__atomic_load_n(&dh_stopping, __ATOMIC_RELAXED));
}

/* The access of a cell that is in use, and by nobody unordered but readers, where the
 * record is foreseen: no call. Where recording has ended it does no harm to count it.
 * False: nothing was done. */
DH_INLINE bool count_one(struct dh_self *t, struct dh_recorder *k, struct dh_cell *c,
			 uintptr_t addr, unsigned size, bool write, uint64_t pc)
{
	const dh_record rec = dh_record_make(t->now, dh_mask_of(addr, size), false, 0);
	const struct dh_cell was = cell_at(c);
	const bool own = dh_record_same_slot(was.read, rec);
	const bool shared = !own && !dh_is_ordered(t->vc, was.read);
	const struct dh_set_memo *m = NULL;
	if (!dh_is_ordered(t->vc, was.write) || (write && shared) ||
	    (!was.write && (!was.read || (!write && is_behind(k)))))
		return false;
	if (shared && !(m = set_at_hand(t, was.read, rec)))
		return false;
	if (!dh_stream_foreseen(&k->stream,
				dh_raw_head(write ? DH_RAW_WRITE : DH_RAW_READ, size, pc),
				addr))
		return false;
	t->dirty |= DH_DIRTY_RECORD;
	if (!write) {
		DH_STORE(&c->read, m ? m->made : beside(was.read, rec));
		if (m)
			note_set(t, m->made, dh_record_mask(rec));
		return true;
	}
	DH_STORE(&c->write, beside(was.write, rec));
	if (was.read && !own)
		DH_STORE(&c->read, 0);
	return true;
}

static DH_NOINLINE void first(struct dh_self *t, uintptr_t addr, unsigned how,
			      uint64_t pc, struct dh_cell *c)
{
	const unsigned size = how & DH_TOLD_SIZE, flags = how >> DH_TOLD_FLAGS;
	struct dh_recorder *k = t->state->observed;
	if (!is_common(k, c, addr, size)) {
		dh_observe_access(addr, size, flags, pc);
		return;
	}
	dh_enter_runtime(t);
	t->dirty |= DH_DIRTY_RECORD;
	if (flags & DH_ACCESS_WRITE)
		one(t, k, c, addr, size, true, pc);
	else
		one(t, k, c, addr, size, false, pc);
	dh_leave_runtime(t);
	dh_leave_no_arguments();
}

static DH_COLD void let_signals_in(struct dh_self *t)
{
	dh_signals_waiting(t);
	dh_leave_no_arguments();
}

/* `inside` is raised as dh_enter_runtime() and dh_leave_runtime() would. */
DH_INLINE void first_quickly(struct dh_self *t, uintptr_t addr, unsigned how, uint64_t pc,
			     struct dh_cell *c, bool write)
{
	struct dh_recorder *k = t->state->observed;
	bool done = false;
	if (is_common(k, c, addr, how & DH_TOLD_SIZE)) {
		t->inside = 1;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		done = count_one(t, k, c, addr, how & DH_TOLD_SIZE, write, pc);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		t->inside = 0;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	}
	if (DH_UNLIKELY(!done))
		first(t, addr, how, pc, c);
	else if (DH_UNLIKELY(dh_signals_pending != 0))
		let_signals_in(t);
	else
		dh_leave_no_arguments();
}

static DH_NOINLINE void first_write(struct dh_self *t, uintptr_t addr, unsigned how,
				    uint64_t pc, struct dh_cell *c)
{
	first_quickly(t, addr, how, pc, c, true);
}

void dh_recorder_first(struct dh_self *t, uintptr_t addr, unsigned how, uint64_t pc,
		       struct dh_cell *c)
{
	if (how & DH_ACCESS_WRITE << DH_TOLD_FLAGS)
		first_write(t, addr, how, pc, c);
	else
		first_quickly(t, addr, how, pc, c, false);
}

DH_COLD void dh_recorder_put_touch(struct dh_recorder *k)
{
	struct dh_touch p = k->touch;
	k->touch.size = 0;
	if (!dh_recorder_is(DH_RECORDER_SILENT))
		put(&k->stream,
		    dh_raw_head(DH_RAW_TOUCH,
				p.size | (p.write ? DH_RAW_ATOMIC_WRITES : 0), p.pc),
		    p.addr, is_behind(k));
}
