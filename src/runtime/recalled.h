/* SPDX-License-Identifier: MIT */
/*
 * The step before those of aligned.h where many accesses of a time frame are alike: a read, or a
 * write of a whole granule, is done as the last one at its place of the program was (recall.h).
 */
#ifndef DH_RUNTIME_RECALLED_H
#define DH_RUNTIME_RECALLED_H

#include "runtime/aligned.h"

/* Puts what is made of old into its place, where all else of the access was as with the last one.
 * To all of a granule by a plain store: a locked instruction waits for the line of the cell, which
 * others in the same loop have, too, and for all stores before. False: something else is there. */
DH_INLINE bool dh_recall_put(dh_record *p, dh_record old, dh_record made, unsigned mask)
{
	if (mask != DH_WHOLE)
		return DH_SWAP(p, old, made);
	DH_STORE(p, made);
	return true;
}

/* A read, in a granule that is whole, that finds and leaves what the last one at pc did. False:
 * nothing was done. */
DH_INLINE bool dh_some_recalled(uintptr_t addr, unsigned mask, uint64_t pc,
				const struct dh_seen *s)
{
	struct dh_self *t = dh_thread_base();
	if (DH_UNLIKELY(!t->simply)) /* not watched, perhaps without state */
		return false;
	const uint64_t key = dh_recall_key(pc, mask);
	const struct dh_recall *r = dh_recall_of(t, key, false);
	if (!dh_recall_fits(t, r, key, s->read, s->write))
		return false;
	t->state->read_sets.hits += r->joined;
	t->dirty = true;
	if (r->plain)
		DH_STORE(&s->c->read, r->made);
	else if (!dh_recall_put(&s->c->read, s->read, r->made, mask))
		return false;
	else if (DH_UNLIKELY(DH_LOAD(&s->c->write) != s->write))
		dh_access_slow(addr, mask, DH_ACCESS_AGAIN, pc);
	return true;
}

/* The same for all of the granule. */
DH_INLINE bool dh_read_recalled(uintptr_t addr, uint64_t pc, const struct dh_seen *s)
{
	return dh_some_recalled(addr, DH_WHOLE, pc, s);
}

/* And for a write. */
DH_INLINE bool dh_write_recalled(uintptr_t addr, uint64_t pc, const struct dh_seen *s)
{
	struct dh_self *t = dh_thread_base();
	const struct dh_recall *r = dh_recall_of(t, pc, true);
	const dh_record read = DH_LOAD(&s->c->read);
	if (!dh_recall_fits(t, r, pc, read, s->write))
		return false;
	t->dirty = true;
	DH_STORE(&s->c->write, r->made);
	if (DH_UNLIKELY(DH_LOAD(&s->c->read) != read))
		dh_access_slow(addr, DH_WHOLE, DH_ACCESS_WRITE | DH_ACCESS_AGAIN, pc);
	else if (read)
		DH_STORE(&s->c->read, 0);
	return true;
}

#endif
