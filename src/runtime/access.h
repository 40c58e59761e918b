/* SPDX-License-Identifier: MIT */
/*
 * FastTrack on the shadow: what happens at each read and write of the program.
 *
 * Cost model
 *   repeat in the same time frame   TLB hit, one or two loads of the cell, compare
 *   own record of an older frame    + site look-up, one store
 *   first access in a time frame    + site look-up, one locked instruction, a load of
 *                                   the other word, a compare with the clock
 *   several records                 + a set (sets.h)
 *
 * Two accesses at the same instant: each first makes its own record visible (locked
 * instruction) and then looks at the others', so at least one of the two sees the
 * other (MultiRace, section 3.3). The exception: where a cell holds nothing but records
 * of the thread itself, a plain store renews them. A thread that comes to such a cell
 * within the same few nanoseconds, ordered after what the record was and not after what
 * it is about to be, may go unseen that once.
 *
 * The functions here may be called at any time by any thread, in signal handlers too.
 */
#ifndef DH_RUNTIME_ACCESS_H
#define DH_RUNTIME_ACCESS_H

#include "runtime/sets.h"
#include "runtime/thread.h"

/* What stands in place of the write of a granule that is split (shadow.h): the level of
 * its cells, in the place of the code one that no access has, and in that of the clock
 * one that nobody knows, so that no access takes it for a record that is ordered. */
enum dh_split_tag {
	DH_TAG_CODE = 15 << DH_CODE_SHIFT | 1 << DH_CLOCK_SHIFT,
	DH_TAG_SPLIT_4 = DH_TAG_CODE | 1,
	DH_TAG_SPLIT_1 = DH_TAG_CODE | 2,
	DH_TAG_BUSY = DH_TAG_CODE | 3,
	/* In place of the reads: they are in the cell's own places (shadow.h). */
	DH_TAG_READERS = DH_TAG_CODE | 4,
};

DH_INLINE unsigned dh_tag_level(enum dh_split_tag tag)
{
	return (unsigned)tag & 3;
}

enum dh_access_flags {
	DH_ACCESS_WRITE = 1,
	DH_ACCESS_ATOMIC = 2,
	DH_ACCESS_FREE = 4, /* the write is the end of the memory's life */
	DH_ACCESS_AGAIN = 8, /* its record is in the cell, but was not judged yet */
};

/* The parts of the fast paths that are not fast. code says which bytes (record.h). */
void dh_access_slow(uintptr_t addr, unsigned code, unsigned flags, uint64_t pc);

/* Bytes of one granule, by a mask that is not 0. The thread is `inside`. */
void dh_access_bytes(struct dh_self *t, uintptr_t granule, unsigned mask, unsigned flags,
		     uint64_t pc);

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
void dh_access_range(uintptr_t addr, size_t size, unsigned flags, uint64_t pc);

/* ---- the pieces of the fast path ---- */

#define DH_LOAD(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#ifdef DH_PLAIN_STORES
#define DH_SWAP(p, old, new) (__atomic_store_n((p), (new), __ATOMIC_RELAXED), true)
#else
#define DH_SWAP(p, old, new)                                                             \
	__atomic_compare_exchange_n((p), &(old), (new), false, __ATOMIC_SEQ_CST,         \
				    __ATOMIC_RELAXED)
#endif

/* What records of a cell must have in common with an access to be for the same bytes and
 * of the same kind. In the finer levels all records are for all bytes of the cell. */
DH_INLINE uint64_t dh_shape_bits(unsigned level)
{
	const uint64_t atomic = (uint64_t)1 << DH_ATOMIC_SHIFT;
	const uint64_t code = (uint64_t)((1 << DH_CODE_BITS) - 1) << DH_CODE_SHIFT;
	return level == 0 ? atomic | code : atomic;
}

/* Is it the same access up to the site, in this time frame? */
DH_INLINE bool dh_repeats(dh_record r, uint64_t key, unsigned level)
{
	return (r ^ key) >> (level == 0 ? DH_CODE_SHIFT : DH_ATOMIC_SHIFT) == 0;
}

/* Is it this thread's, of whatever time frame, and of the same shape? */
DH_INLINE bool dh_is_own(dh_record r, uint64_t key, unsigned level)
{
	const uint64_t slot = (uint64_t)(DH_SLOTS - 1) << DH_SLOT_SHIFT;
	return ((r ^ key) & (slot | dh_shape_bits(level))) == 0;
}

/* Is this word one record of the same shape, ordered before the present? No tag passes:
 * all have something where the clock would be, which is more than vc[DH_SLOT_TAG], zero. */
DH_INLINE bool dh_is_ordered(const uint32_t *vc, dh_record r, uint64_t key, unsigned level)
{
	return ((r ^ key) & dh_shape_bits(level)) == 0 &&
	       dh_record_clock(r) <= vc[dh_record_slot(r)];
}

/* The site of pc in the present context, if the thread has it at hand; else 0. What a
 * signal handler may overwrite is read before what proves it. */
DH_INLINE uint32_t dh_site_at_hand(const struct dh_self *t, uint64_t pc)
{
	uint32_t node = t->top->node;
	const struct dh_site_entry *e = dh_site_entry_of(t, node, pc);
	uint32_t site = e->site;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return e->pc == pc && e->node == node && node ? site : 0;
}

DH_INLINE struct dh_set_memo *dh_set_memo_of(const struct dh_self *t, dh_record old,
					     dh_record rec)
{
	/* Not symmetric: two threads at the same two sites are met either way round. */
	uint64_t h = (old * 3 + rec) * 0x9e3779b97f4a7c15ull;
	return &t->state->memo[(h >> 40) % DH_SET_MEMO];
}

/* Is there a record of this very access in the set? */
DH_INLINE bool dh_set_has(dh_record word, uint64_t key, unsigned level)
{
	const struct dh_set *s = dh_sets_get(word);
	for (uint32_t i = 0; i < s->count; i++)
		if (dh_repeats(s->at[i], key, level))
			return true;
	return false;
}

/* Are all records of the set of the shape of the access, and ordered? */
DH_INLINE bool dh_set_ordered(const uint32_t *vc, dh_record word, uint64_t key,
			      unsigned level)
{
	const struct dh_set *s = dh_sets_get(word);
	for (uint32_t i = 0; i < s->count; i++)
		if (!dh_is_ordered(vc, s->at[i], key, level))
			return false;
	return true;
}

/* How a first access went: done; or not, and the slow path decides, from the start; or
 * its record is there, but somebody else came at the same time and has to be judged. */
enum dh_first { DH_FIRST_DONE, DH_FIRST_NOT, DH_FIRST_MET };

DH_INLINE unsigned dh_first_flags(enum dh_first f)
{
	return f == DH_FIRST_MET ? DH_ACCESS_AGAIN : 0;
}

/* The first read of a time frame where nothing unusual is in the cell. */
DH_INLINE enum dh_first dh_first_read(struct dh_self *t, struct dh_cell *c, dh_record read,
				      dh_record write, uint64_t key, unsigned level,
				      uint64_t pc)
{
	const uint32_t *vc = t->vc;
	if (dh_sets_is_set(read) && dh_set_has(read, key, level))
		return DH_FIRST_DONE;
	uint32_t site = dh_site_at_hand(t, pc);
	if (!site || (write && !dh_is_ordered(vc, write, key, level)))
		return DH_FIRST_NOT;
	dh_record rec = key | site, new = rec;
	t->dirty = true;
	if (DH_LIKELY(dh_is_own(read, key, level))) {
		__atomic_store_n(&c->read, rec, __ATOMIC_RELAXED);
		return DH_FIRST_DONE;
	}
	if (read && !dh_is_ordered(vc, read, key, level)) {
		const struct dh_set_memo *m = dh_set_memo_of(t, read, rec);
		new = m->made;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		if (m->old != read || m->rec != rec)
			return DH_FIRST_NOT;
		t->state->set_hits++;
	}
	if (!DH_SWAP(&c->read, read, new))
		return DH_FIRST_NOT;
	return DH_LOAD(&c->write) == write ? DH_FIRST_DONE : DH_FIRST_MET;
}

/* The same for a write. Reads that are ordered before it go: a plain store is enough,
 * because a reader that comes in between finds our write. */
DH_INLINE enum dh_first dh_first_write(struct dh_self *t, struct dh_cell *c, dh_record write,
				       uint64_t key, unsigned level, uint64_t pc)
{
	const uint32_t *vc = t->vc;
	uint32_t site = dh_site_at_hand(t, pc);
	if (!site)
		return DH_FIRST_NOT;
	dh_record read = DH_LOAD(&c->read);
	t->dirty = true;
	if (dh_is_own(write, key, level) && (!read || dh_is_own(read, key, level))) {
		__atomic_store_n(&c->write, key | site, __ATOMIC_RELAXED);
		return DH_FIRST_DONE;
	}
	if (write && !dh_is_ordered(vc, write, key, level))
		return DH_FIRST_NOT;
	if (read && !dh_is_ordered(vc, read, key, level) &&
	    !(dh_sets_is_set(read) && dh_set_ordered(vc, read, key, level)))
		return DH_FIRST_NOT;
	if (!DH_SWAP(&c->write, write, key | site))
		return DH_FIRST_NOT;
	if (DH_LOAD(&c->read) != read)
		return DH_FIRST_MET;
	if (read)
		__atomic_store_n(&c->read, 0, __ATOMIC_RELAXED);
	return DH_FIRST_DONE;
}

/* ---- aligned accesses of 1, 2, 4 or 8 bytes ---- */

/* The level whose cells are as large as the access, if there is one beyond 0. */
DH_INLINE unsigned dh_fine_level(unsigned size)
{
	return size == 4 ? 1 : size == 1 ? 2 : 0;
}

/* Is the granule split into cells of that level? */
DH_INLINE bool dh_is_split(dh_record write, unsigned level)
{
	return level && write == dh_record_tag(level == 1 ? DH_TAG_SPLIT_4 : DH_TAG_SPLIT_1);
}

/* Is the access a repeat in its time frame, and so done? Else *cell is the granule's, or
 * NULL where it is not at hand. Nothing but loads, so that an entry point that begins
 * with it needs no stack frame. size is a constant where these are used. */
DH_INLINE bool dh_access_repeats(uintptr_t addr, unsigned size, bool write,
				 struct dh_cell **cell)
{
	const struct dh_self *t = dh_thread_self();
	const struct dh_tlb_entry *e = dh_tlb_at(&t->tlb, addr);
	uint64_t key = dh_record_key(t->epoch, dh_code_of(addr, size), false);
	*cell = NULL;
	if (DH_UNLIKELY(!dh_tlb_has(e, addr)))
		return false;
	struct dh_cell *c = *cell = dh_tlb_cell(e, addr, 0);
	dh_record w = DH_LOAD(&c->write);
	if (dh_repeats(w, key, 0) || (!write && dh_repeats(DH_LOAD(&c->read), key, 0)))
		return true;
	const unsigned fine = dh_fine_level(size);
	if (!dh_is_split(w, fine) || !e->cells[fine])
		return false;
	c = dh_tlb_cell(e, addr, fine);
	return dh_repeats(DH_LOAD(&c->write), key, fine) ||
	       (!write && dh_repeats(DH_LOAD(&c->read), key, fine));
}

/* Everything but a repeat, in a cell. */
DH_INLINE enum dh_first dh_first_access(struct dh_self *t, struct dh_cell *c,
					dh_record write, uint64_t key, unsigned level,
					bool is_write, uint64_t pc)
{
	return is_write ? dh_first_write(t, c, write, key, level, pc)
			: dh_first_read(t, c, DH_LOAD(&c->read), write, key, level, pc);
}

/* The access where it is no repeat; c is the granule's cell, or NULL. */
DH_INLINE void dh_access_first(uintptr_t addr, unsigned size, bool is_write, uint64_t pc,
			       struct dh_cell *c)
{
	struct dh_self *t = dh_thread_self();
	unsigned flags = is_write ? DH_ACCESS_WRITE : 0;
	const unsigned code = dh_code_of(addr, size), fine = dh_fine_level(size);
	uint64_t key = dh_record_key(t->epoch, code, false);
	enum dh_first f = DH_FIRST_NOT;
	if (DH_LIKELY(c != NULL)) {
		dh_record write = DH_LOAD(&c->write);
		if (dh_is_split(write, fine)) {
			const struct dh_tlb_entry *e = dh_tlb_at(&t->tlb, addr);
			if (DH_LIKELY(e->cells[fine] != 0)) {
				c = dh_tlb_cell(e, addr, fine);
				f = dh_first_access(t, c, DH_LOAD(&c->write), key, fine,
						    is_write, pc);
			}
		} else {
			f = dh_first_access(t, c, write, key, 0, is_write, pc);
		}
	}
	if (DH_UNLIKELY(f != DH_FIRST_DONE))
		dh_access_slow(addr, code, flags | dh_first_flags(f), pc);
}

#endif
