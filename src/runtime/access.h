/* SPDX-License-Identifier: MIT */
/*
 * FastTrack on the shadow: what happens at each read and write of the program.
 *
 * Cost model
 *   repeat in the same time frame   one look-up, one or two loads of the cell, compare
 *   cell with own records only      + site look-up, one store
 *   first access in a time frame    + site look-up, one locked instruction, a load of
 *                                   the other word, a compare with the clock
 *   several readers                 repeat: + compare with a set that is known;
 *                                   else: + a set (sets.h) or a place of its own
 *
 * Two accesses at the same instant: each first makes its own record visible (locked
 * instruction) and then looks at the others', so at least one of the two sees the
 * other (MultiRace, section 3.3). The exception: a thread renews its own record, of an
 * older time frame, with a plain store. A thread that comes to such a cell within the
 * same few nanoseconds, ordered after what the record was and not after what it is about
 * to be, may go unseen that once. (Of the only thread all are such: dh_self.sole.) So may
 * one that meets a loop over an array: recalled.h.
 *
 * The functions here may be called at any time by any thread, in signal handlers too.
 */
#ifndef DH_RUNTIME_ACCESS_H
#define DH_RUNTIME_ACCESS_H

#include "runtime/constants.h"
#include "runtime/kin.h"
#include "runtime/known_sets.h"
#include "runtime/recall.h"
#include "runtime/sets.h"
#include "runtime/tags.h"
#include "runtime/thread.h"
#include "runtime/warm.h"

enum dh_access_flags {
	DH_ACCESS_WRITE = 1,
	DH_ACCESS_ATOMIC = 2,
	DH_ACCESS_FREE = 4,  /* the write is the end of the memory's life */
	DH_ACCESS_AGAIN = 8, /* its record is in the cell, but was not judged yet */
	DH_ACCESS_PAST = 16, /* it was judged long ago: dh_access_past() */
	DH_ACCESS_PIECE = 32, /* of a range: what it leaves of a granule means nothing */
};

/* Bytes of one granule, by a mask that is not 0: where the fast path does not know what
 * to do. */
DH_HOT_VISIBLE void dh_access_slow(uintptr_t addr, unsigned mask, unsigned flags,
				   uint64_t pc) DH_SHARED("slow");

/* An aligned access of 1, 2, 4 or 8 bytes that is no repeat, by a thread that is not
 * watched, or with an engine other than fasttrack, or without a cell at hand. how: its
 * size, and flags above it. c is its granule's cell, or NULL. (Aligned as far as the
 * compiler knows: a smaller one may even reach beyond its granule.) */
enum { DH_TOLD_SIZE = 15, DH_TOLD_FLAGS = 4 };
DH_HOT_VISIBLE void dh_access_told(uintptr_t addr, unsigned how, uint64_t pc,
				   struct dh_cell *c) DH_SHARED("told");

/* As dh_access_slow() where the thread is `inside`. */
void dh_access_bytes(struct dh_self *t, uintptr_t granule, unsigned mask, unsigned flags,
		     uint64_t pc);

/* Puts the record of an access that somebody made before into the cells of the granule,
 * which nobody else uses meanwhile. Nothing is judged. `as` has the epoch of the record,
 * the state of the calling thread, and a clock that knows nothing. */
void dh_access_past(struct dh_self *as, uintptr_t granule, dh_record rec, bool write);

/* The memory at addr, a multiple of 8, comes to its end: a write (with DH_ACCESS_FREE) of
 * all of it, up to the next multiple of 8. Its first DH_END_MARKED bytes keep that as
 * their record, so that a later access can meet it; the shadow of the rest is empty
 * afterwards. (To mark all would make freeing a large block of which little was used
 * cost more shadow than its whole life.) The thread is `inside`, once. Where it is not
 * watched, or pc is 0, nothing is judged or marked. */
enum { DH_END_MARKED = 1024 };
void dh_access_end(struct dh_self *t, uintptr_t addr, size_t size, uint32_t site,
		   uint64_t pc);

/* Any range of bytes (access_range.c). */
DH_HOT_VISIBLE void dh_access_range(uintptr_t addr, size_t size, unsigned flags,
				    uint64_t pc) DH_SHARED("range");

/* ---- the pieces of the fast path ---- */

/* Is the cell of memory that nobody else can know of yet? Then an empty one needs no locked
 * instruction, which would wait for all that is being cleared around it. */
DH_INLINE bool dh_is_fresh(const struct dh_self *t, const struct dh_cell *c)
{
	return (uintptr_t)c - t->fresh < t->fresh_bytes;
}

#define DH_LOAD(p)	   __atomic_load_n((p), __ATOMIC_RELAXED)
#define DH_STORE(p, value) __atomic_store_n((p), (value), __ATOMIC_RELAXED)
#define DH_SWAP(p, old, new)                                                             \
	__atomic_compare_exchange_n((p), &(old), (new), false, __ATOMIC_SEQ_CST,         \
				    __ATOMIC_RELAXED)

/* The same for a thread that may be the only one: then nobody comes in between, and what
 * makes the others wait is spared. */
DH_INLINE bool dh_swap(const struct dh_self *t, dh_record *p, dh_record old,
		       dh_record new)
{
	if (!DH_LOAD(&t->sole))
		return DH_SWAP(p, old, new);
	if (DH_LOAD(p) != old)
		return false;
	DH_STORE(p, new);
	return true;
}

/* The bytes that tell records of a cell apart. In the finer levels all records are for
 * all bytes of the cell. */
DH_INLINE unsigned dh_level_mask(unsigned mask, unsigned level)
{
	return level == 0 ? mask : 0;
}

/* Does a record, or an elder of it, keep bytes that an access to these would drop? */
DH_INLINE bool dh_keeps(dh_record r, unsigned mask, unsigned level)
{
	return level == 0 && mask != DH_WHOLE && dh_record_beyond(r, mask);
}

/* None, or one record that is ordered before the present. No tag passes: all have
 * something where the clock would be, which is more than vc[DH_SLOT_TAG], zero. */
DH_INLINE bool dh_is_ordered(const uint32_t *vc, dh_record r)
{
	return dh_record_clock(r) <= vc[dh_record_slot(r)];
}

/* The node of the innermost frame, which has not been asked for yet, from the nearest
 * frame outward that has one; 0 where that is far away, or the cache does not have all
 * calls in between. */
static __attribute__((noinline, unused)) uint32_t dh_node_at_hand(struct dh_self *t)
{
	enum { FAR = 8 };
	struct dh_frame *f = t->top;
	while (!f->node)
		if (--f < t->top - FAR)
			return 0;
	uint32_t node = f->node;
	while (node && f < t->top) {
		f++;
		f->node = node = dh_cached(t, node, f->pc | DH_SITE_CALL);
	}
	return node;
}

/* The site of pc in the present context, if the thread has it at hand; else 0. */
DH_INLINE uint32_t dh_site_at_hand(struct dh_self *t, uint64_t pc)
{
	uint32_t node = t->top->node;
	if (DH_UNLIKELY(!node) && !(node = dh_node_at_hand(t)))
		return 0;
	return dh_cached(t, node, pc);
}

/* Which sites a first access asks for: those that are ready, which takes no call, so that
 * an entry point needs no stack frame for it; or any (none where another engine is in
 * force). */
enum dh_sites { DH_SITES_READY, DH_SITES_ALL };

DH_INLINE uint32_t dh_site_of(struct dh_self *t, uint64_t pc, enum dh_sites which)
{
	if (which == DH_SITES_READY)
		return dh_cached(t, t->top->node, pc);
	uint32_t site = dh_site_at_hand(t, pc);
	return DH_LIKELY(site != 0) ? site : dh_thread_look_up(t, pc);
}

/* How a first access went: done; or not, and the slow path decides, from the start; or
 * its record is there, but somebody else came at the same time and has to be judged; or
 * it shares the cell with others: other readers, or writes of other bytes
 * (dh_access_shared); or not, because its site is not ready. */
enum dh_first {
	DH_FIRST_DONE,
	DH_FIRST_NOT,
	DH_FIRST_MET,
	DH_FIRST_SHARED,
	DH_FIRST_UNSITED,
};

DH_INLINE unsigned dh_first_flags(enum dh_first f)
{
	return f == DH_FIRST_MET ? DH_ACCESS_AGAIN : 0;
}

/* What the last of a cell's places leads to where there are more readers. Each slot has a
 * place in it, and another for atomic reads, which do not stand for plain ones: the first
 * of some that follow each other that was free when it was wanted. Nothing is taken out.
 */
struct dh_crowd {
	uint32_t room;	/* a power of 2, at most DH_CROWD_MOST */
	uint32_t mask;	/* in a granule's cell: the bytes that all records are for */
	dh_record at[]; /* atomic */
};

/* In the upper bits of that place is the mask of its places' numbers, so that the fast
 * path need not look at its head. */
enum { DH_CROWD_BITS = 48, DH_CROWD_MOST = 1 << (64 - DH_CROWD_BITS) };

DH_INLINE struct dh_crowd *dh_crowd_at(dh_record place)
{
	return (struct dh_crowd *)(uintptr_t)(place &
					      (((uint64_t)1 << DH_CROWD_BITS) - 1));
}

DH_INLINE struct dh_crowd *dh_crowd_of(dh_record *places)
{
	return dh_crowd_at(DH_LOAD(dh_place_at(places, DH_CROWD_AT)));
}

/* The first place for such a record. */
DH_INLINE uint32_t dh_crowd_first(dh_record rec)
{
	return dh_record_slot(rec) * 2 + dh_record_atomic(rec);
}

/* The place that is a thread's home among a cell's own, where the fast path looks. */
DH_INLINE unsigned dh_home_of(dh_record rec)
{
	return dh_record_slot(rec) % DH_OWN_PLACES;
}

/* Where the fast path looks for the thread's own place in the cell of addr in a level,
 * and what its reads were then; NULL where it has none there. */
DH_INLINE dh_record *dh_place_in(const struct dh_cell *c, uintptr_t addr, dh_record rec,
				 unsigned level, dh_record *read)
{
	dh_record *places;
	*read = DH_LOAD(&c->read);
	const unsigned home = dh_home_of(rec);
	const bool crowded = *read == dh_tag(DH_TAG_CROWD);
	if ((!crowded && !(dh_is_readers(*read) && dh_in_use(*read, home))) ||
	    !(places = dh_flat_readers(addr, level)))
		return NULL;
	if (!crowded)
		return dh_place_at(places, home);
	dh_record at = DH_LOAD(dh_place_at(places, DH_CROWD_AT));
	return &dh_crowd_at(at)->at[dh_crowd_first(rec) & (at >> DH_CROWD_BITS)];
}

/* The first read of a time frame where several threads have places in the cell, if the
 * thread has been there before: nobody else writes to its place as long as it has its
 * record in it, so a plain store will do, as in a cell of its own. */
DH_INLINE enum dh_first dh_renew_place(struct dh_self *t, struct dh_cell *c,
				       uintptr_t addr, dh_record *place, dh_record rec,
				       dh_record read, unsigned level)
{
	dh_record old = DH_LOAD(place), now;
	if (!dh_record_own(old, rec) || ((old ^ rec) & DH_ATOMIC_FLAG) ||
	    dh_keeps(old, dh_record_mask(rec), level)) {
		if (dh_record_atomic(rec))
			return DH_FIRST_NOT;
		if (!dh_record_joins(old, rec))
			return DH_FIRST_SHARED;
		rec = dh_record_joined(old, rec);
	}
	DH_STORE(place, rec);
	/* A crowd that grows moves elsewhere, perhaps without the record. */
	if (dh_place_in(c, addr, rec, level, &now) != place || now != read)
		return DH_FIRST_MET;
	return dh_is_ordered(t->vc, DH_LOAD(&c->write)) ? DH_FIRST_DONE : DH_FIRST_MET;
}

/* Sets that a thread makes before it asks whether they pay. Tests do without. */
#ifndef DH_SETS_GRACE
#define DH_SETS_GRACE 1024
#endif

/* So many answers for each set that was made are enough; of reads fewer, since what they have
 * without sets is dearer: places of each cell's own, which miss the cache. */
enum dh_worth { DH_WORTH = 8, DH_WORTH_READS = 2 };

DH_INLINE bool dh_sets_worth(const struct dh_set_pay *p, enum dh_worth worth)
{
	return p->makes <= p->hits / worth + DH_SETS_GRACE;
}

/* Where a memo has what comes of a word and a record. Each has a factor of its own: threads
 * in one loop have records of neighbouring sites, and these must not make up for each
 * other. Of the sum the upper bits: what tells slots apart has no part in the lower ones. */
DH_INLINE size_t dh_set_memo_at(dh_record old, dh_record rec)
{
	_Static_assert(DH_SET_MEMO == 1 << 10, "as many bits");
	return (old * 0x9e3779b97f4a7c15ull + rec * 0xd6e8feb86659fd93ull) >> (64 - 10);
}

DH_INLINE struct dh_set_memo *dh_set_memo_of(const struct dh_self *t, dh_record old,
					     dh_record rec)
{
	return &t->state->memo[dh_set_memo_at(old, rec)];
}

DH_INLINE struct dh_set_memo *dh_write_memo_of(const struct dh_self *t, dh_record old,
					       dh_record rec)
{
	return &t->state->write_memo[dh_set_memo_at(old, rec)];
}

/* The set of a cell's reads and one more, if it is at hand; else 0. A site that they have
 * in common is no matter to the memo. */
DH_INLINE dh_record dh_joined_readers(const struct dh_self *t, dh_record read,
				      dh_record rec)
{
	const dh_record site = dh_sets_common(read, rec);
	const struct dh_set_memo *m = dh_set_memo_of(t, read ^ site, rec ^ site);
	dh_record made = m->made;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (m->old != (read ^ site) || m->rec != (rec ^ site))
		return 0;
	t->state->read_sets.hits++;
	return made | site;
}

/* The reads of a cell become a set of these and one more. */
DH_INLINE enum dh_first dh_put_joined(const struct dh_self *t, struct dh_cell *c,
				      dh_record read, dh_record made, dh_record write)
{
	if (!dh_swap(t, &c->read, read, made))
		return DH_FIRST_NOT;
	return DH_LOAD(&c->write) == write ? DH_FIRST_DONE : DH_FIRST_MET;
}

/* The first read of a time frame where others have read who are not ordered, if the set
 * of them all is at hand. */
DH_INLINE enum dh_first dh_join_readers(struct dh_self *t, struct dh_cell *c,
					dh_record rec, dh_record read, dh_record write)
{
	const dh_record made = dh_joined_readers(t, read, rec);
	if (!made)
		return DH_FIRST_SHARED;
	if (!t->state->handler_count)
		dh_note_known(t, made, dh_record_mask(rec));
	return dh_put_joined(t, c, read, made, write);
}

/* The first access of a time frame to a cell that is shared with others: the fast paths
 * (readers.c, writers.c); and the same with the slow path behind them. rec has its site;
 * found is what the cell's word was. how: the level, and flags of the access above it. */
enum dh_first dh_first_shared_read(struct dh_self *t, struct dh_cell *c,
				   uintptr_t granule, dh_record rec, dh_record found,
				   unsigned level);
enum dh_first dh_first_shared_write(struct dh_self *t, struct dh_cell *c,
				    uintptr_t granule, dh_record rec, dh_record found);
enum { DH_SHARED_LEVEL = 3, DH_SHARED_FLAGS = 2 };
DH_HOT_VISIBLE void dh_access_shared(struct dh_cell *c, uintptr_t granule, dh_record rec,
				     dh_record found, unsigned how, uint64_t pc)
    DH_SHARED("shared");

/* Of a task in a lane: has one of the lane a record that stands for a plain read of these
 * bytes of the granule, in a cell of a level? Not where it does not come after who wrote
 * there, which may have been between the creation of the two. (shared_reads.c) */
DH_HOT_VISIBLE bool dh_read_stands(struct dh_self *t, const struct dh_cell *c,
				   uintptr_t granule, unsigned mask, unsigned level)
    DH_SHARED("stands");

/* The fast paths for a plain access with a mask of any form, and for granules that are
 * split in another way than the access is; and the same with the slow path behind it. */
enum dh_first dh_access_quick(struct dh_self *t, uintptr_t granule, unsigned mask,
			      bool write, uint64_t pc);
DH_HOT_VISIBLE void dh_access_some(uintptr_t granule, unsigned mask, unsigned flags,
				   uint64_t pc) DH_SHARED("some");

/* Is it a set that is known to be? */
DH_INLINE bool dh_is_past(const struct dh_self *t, dh_record word)
{
	const dh_record key = dh_sets_key(word);
	return dh_record_is_tag(word) && *dh_past_of(t, key) == dh_past_key(t, key);
}

/* Are all records of the word ordered? */
DH_INLINE bool dh_all_ordered(struct dh_self *t, dh_record word)
{
	if (dh_is_ordered(t->vc, word) || dh_is_past(t, word))
		return true;
	if (!dh_sets_is_set(word))
		return false;
	const struct dh_set *s = dh_sets_get(word);
	for (uint32_t i = 0; i < s->count; i++)
		if (!dh_is_ordered(t->vc, s->at[i]))
			return false;
	const dh_record key = dh_sets_key(word);
	*dh_past_of(t, key) = dh_past_key(t, key);
	return true;
}

/* The first read of a time frame. *rec is the record without its site, which it gets
 * here; *read is what was found. An atomic read does not stand for a plain one. */
DH_INLINE enum dh_first dh_first_read(struct dh_self *t, struct dh_cell *c,
				      uintptr_t addr, dh_record *rec, dh_record *read,
				      unsigned mask, unsigned level, bool atomic,
				      enum dh_sites which, uint64_t pc)
{
	dh_record was, *place = dh_place_in(c, addr, *rec, level, &was);
	if (place && dh_record_covers(DH_LOAD(place), *rec & ~DH_ABSENT_FIELD,
				      dh_level_mask(mask, level)))
		return DH_FIRST_DONE;
	uint32_t site = dh_site_of(t, pc, which);
	if (DH_UNLIKELY(!site))
		return DH_FIRST_UNSITED;
	dh_record new = *rec |= site;
	dh_record old = *read = DH_LOAD(&c->read), write = DH_LOAD(&c->write);
	if (!dh_all_ordered(t, write))
		return DH_FIRST_NOT;
	bool own = dh_record_own(old, new);
	t->dirty = true;
	if (!own && !dh_is_ordered(t->vc, old)) {
		if (!atomic && dh_kin_has(t->kin, old, dh_level_mask(mask, level)))
			return DH_FIRST_DONE;
		if (place && old == was)
			return dh_renew_place(t, c, addr, place, new, old, level);
		return level == 0 && mask == DH_WHOLE && !atomic &&
			       (write || !dh_maybe_constant(addr))
			   ? dh_join_readers(t, c, new, old, write)
			   : DH_FIRST_SHARED;
	}
	if (old && atomic && !dh_record_atomic(old))
		return DH_FIRST_NOT;
	if (old && dh_keeps(old, mask, level)) {
		if (!dh_record_joins(old, new))
			return atomic ? DH_FIRST_NOT : DH_FIRST_SHARED;
		new = dh_record_joined(old, new);
	}
	if (own || (!old && dh_record_same_slot(write, new))) {
		DH_STORE(&c->read, new);
		return DH_FIRST_DONE;
	}
	if (!(old | write) && level == 0)
		dh_warm_expect(c);
	if (!dh_swap(t, &c->read, old, new))
		return DH_FIRST_NOT;
	return DH_LOAD(&c->write) == write ? DH_FIRST_DONE : DH_FIRST_MET;
}

/* The same for a plain write. Reads that are ordered before it go where it has all their
 * bytes: a plain store is enough, because a reader that comes in between finds our
 * write. */
DH_INLINE enum dh_first dh_first_write(struct dh_self *t, struct dh_cell *c,
				       dh_record *rec, dh_record *found, unsigned mask,
				       unsigned level, enum dh_sites which, uint64_t pc)
{
	uint32_t site = dh_site_of(t, pc, which);
	if (DH_UNLIKELY(!site))
		return DH_FIRST_UNSITED;
	dh_record new = *rec |= site;
	dh_record write = *found = DH_LOAD(&c->write), read = DH_LOAD(&c->read);
	t->dirty = true;
	bool own = dh_record_own(write, new);
	bool own_reads = !read || dh_record_own(read, new);
	if (level == 0 && mask != DH_WHOLE && write &&
	    (dh_record_is_tag(write) || dh_record_beyond(write, mask))) {
		if (!dh_record_joins(write, new))
			return DH_FIRST_SHARED;
		new = dh_record_joined(write, new);
	}
	if (own_reads && own) {
		DH_STORE(&c->write, new);
		return DH_FIRST_DONE;
	}
	if (!dh_all_ordered(t, write) || !dh_all_ordered(t, read))
		return DH_FIRST_NOT;
	if (!(write | read) && level == 0)
		dh_warm_expect(c);
	if (own)
		DH_STORE(&c->write, new);
	else if (!dh_swap(t, &c->write, write, new))
		return DH_FIRST_NOT;
	if (DH_LOAD(&c->read) != read)
		return DH_FIRST_MET;
	if (read && (mask == DH_WHOLE || level > 0 ||
		     (!dh_record_is_tag(read) && !dh_record_beyond(read, mask))))
		DH_STORE(&c->read, 0);
	return DH_FIRST_DONE;
}

/* Does a record of the cell cover the access? mask: 0 in the finer levels. */
DH_INLINE bool dh_cell_covers(const struct dh_cell *c, uint64_t now, unsigned mask,
			      bool write)
{
	return (!write && dh_record_covers(DH_LOAD(&c->read), now, mask)) ||
	       dh_record_covers(DH_LOAD(&c->write), now, mask);
}

/* Is the granule still split into cells of that level? Who has put a record into one of
 * these asks afterwards: who makes the granule one again, having looked at all of them,
 * may not have seen it. */
DH_INLINE bool dh_still_split(uintptr_t addr, unsigned level)
{
	const struct dh_cell *c = dh_flat_cell(addr);
	return c && dh_is_split(DH_LOAD(&c->write), level);
}

/* Does the word cover it, or is it a set that the thread knows to? */
DH_INLINE bool dh_word_repeats(dh_record word, uint64_t now, unsigned mask)
{
	return dh_record_covers(word, now, mask) ||
	       (DH_UNLIKELY(dh_record_is_tag(word)) && /* only sets are known */
		dh_set_known(dh_thread_self(), word, mask));
}

/* Is it a repeat in the cell? */
DH_INLINE bool dh_cell_repeats(const struct dh_cell *c, uint64_t now, unsigned mask,
			       bool write)
{
	return (!write && dh_word_repeats(DH_LOAD(&c->read), now, mask)) ||
	       dh_word_repeats(DH_LOAD(&c->write), now, mask);
}

#endif
