/* SPDX-License-Identifier: MIT */
/*
 * See step.h. With t the accessing thread and L its locks, C the locks of the word that
 * are in L too; "after" is ordered by the weak relation, "by lock" by the strong one
 * only, "open" by none:
 *
 *   VIRGIN   -> OWNED
 *   OWNED    t's own           stays, with the new label
 *            after             L: LOCKED; else a write: OWNED by t; a read: READ
 *            by lock           C: LOCKED. Else two reads: READ. Else, if nobody but the
 *                              first owner of a heap block had it: handed over, as after
 *                              (it was published under a lock). Else refine
 *            open              two reads: READ; else refine
 *   LOCKED   open to the label refine
 *            C                 stays, C_x = C; a write is the new label
 *            no C, no write yet
 *                              READ
 *            no C, and after the label (or it is t's, and all that it had heard of by
 *            then is after)    a read: READ. A write that is after all who held C_x
 *                              since: as OWNED. Else refine
 *            else              refine
 *   READ     a read after or by lock of the label: stays, with one more reader
 *            a write after or by lock of the label and all readers: OWNED by t
 *            else              refine
 *
 * What is refined for something that the strong order has is so for what the diaries know
 * of it. Where they know nothing it goes on as if that were ordered: `untold` of step.h.
 *
 * Invariants: all accesses of OWNED are before the one of the label in the strong order.
 * LOCKED: all accesses are before the label, or after it under all locks of C_x, and then
 * they are reads. (A lock in common orders each write with everything else; so nothing
 * has to be kept of reads, and they leave the word as it is.) READ: all writes are before
 * the label, and it before all reads. So what is after the label is after all writes, and
 * whoever is not comes to be judged by the fields. OWNED without a write has none since
 * it was VIRGIN: a read that takes over leads to READ.
 */
#include "runtime/racetrack/step.h"
#include "runtime/access.h"
#include "runtime/racetrack/held.h"

struct dh_rt_latest dh_rt_latest[DH_SLOTS];

static dh_rt_word mine(const struct dh_rt_step *s, enum dh_rt_state state, uint32_t locks,
		       unsigned flags)
{
	return dh_rt_make(state, s->epoch, locks, flags | (s->write ? DH_RT_WROTE : 0));
}

static uint32_t meet(const struct dh_rt_step *s, dh_rt_word w)
{
	uint32_t a = dh_rt_info(w), b = s->locks;
	if (a == b || a == DH_LOCKSET_EMPTY)
		return a;
	if (b == DH_LOCKSET_EMPTY)
		return b;
	return dh_lockset_intersect(dh_rt_locksets, a, b);
}

static bool is_own(const struct dh_rt_step *s, dh_rt_word w)
{
	return dh_record_same_slot(w, s->epoch);
}

static bool wrote(const struct dh_rt_step *s, dh_rt_word w)
{
	return s->write || (w & DH_RT_WROTE);
}

static dh_rt_word read_by_both(const struct dh_rt_step *s, dh_rt_word w)
{
	return dh_rt_make(DH_RT_READ, 0, dh_rt_reader(w) | dh_rt_reader(s->epoch),
			  DH_RT_KNOWN);
}

/* From now on under these locks. What others do under them comes after the label. */
static dh_rt_word lock_with(const struct dh_rt_step *s, dh_rt_word w, uint32_t locks)
{
	unsigned flags = DH_RT_KNOWN | (w & DH_RT_WROTE);
	return s->write ? mine(s, DH_RT_LOCKED, locks, flags)
			: dh_rt_make(DH_RT_LOCKED, dh_rt_label(w), locks, flags);
}

/* It is t's now; all before is ordered. */
static dh_rt_word take_over(const struct dh_rt_step *s, dh_rt_word w)
{
	if (s->locks != DH_LOCKSET_EMPTY)
		return lock_with(s, w, s->locks);
	if (s->write)
		return mine(s, DH_RT_OWNED, s->locks, DH_RT_KNOWN);
	return dh_rt_make(DH_RT_READ, dh_rt_label(w), dh_rt_reader(s->epoch),
			  DH_RT_KNOWN);
}

/* To be refined, unless there is nothing that the fields could be told. */
static dh_rt_word suspect(struct dh_rt_step *s, dh_rt_word untold)
{
	s->untold = untold;
	return DH_RT_FINE;
}

static dh_rt_word from_owned(struct dh_rt_step *s, dh_rt_word w)
{
	if (is_own(s, w))
		return mine(s, DH_RT_OWNED, s->locks, dh_rt_flags(w));
	if (!dh_rt_before(s->vc, w))
		return wrote(s, w) ? DH_RT_FINE : read_by_both(s, w);
	if (dh_rt_before(s->weak, w))
		return take_over(s, w);
	s->handed = !(w & DH_RT_KNOWN);
	uint32_t c = s->handed ? s->locks : meet(s, w);
	if (c != DH_LOCKSET_EMPTY)
		return lock_with(s, w, c);
	if (!wrote(s, w))
		return read_by_both(s, w);
	return s->handed ? take_over(s, w) : suspect(s, take_over(s, w));
}

/* Those who may have had all of these locks since they were first taken, as readers. */
static uint32_t users(uint32_t locks)
{
	uint32_t n = DH_LOAD(&dh_slot_count), bits = 0;
	for (uint32_t slot = 1; slot < n; slot++)
		if (dh_rt_held_until(slot, locks))
			bits |= dh_rt_reader(dh_record_epoch(slot, 0));
	return bits;
}

/* Is all that others did under these locks in the clock? */
static bool knows_users(const struct dh_rt_step *s, const uint32_t *clock, uint32_t locks)
{
	uint32_t own = dh_record_slot(s->epoch), n = DH_LOAD(&dh_slot_count);
	for (uint32_t slot = 1; slot < n; slot++)
		if (slot != own && dh_rt_held_until(slot, locks) > clock[slot])
			return false;
	return true;
}

/* The locks that all had are not held any more. */
static dh_rt_word unlocked(struct dh_rt_step *s, dh_rt_word w)
{
	uint32_t locks = dh_rt_info(w), self = dh_rt_reader(s->epoch);
	if (!wrote(s, w))
		return dh_rt_make(DH_RT_READ, 0, self | users(locks) | dh_rt_reader(w),
				  DH_RT_KNOWN);
	bool after = is_own(s, w) ? dh_record_clock(w) < s->sealed
				  : dh_rt_before(s->weak, w);
	if (after && knows_users(s, s->weak, locks))
		return take_over(s, w);
	if (s->write)
		return suspect(s, take_over(s, w));
	dh_rt_word read = dh_rt_make(DH_RT_READ, dh_rt_label(w), self | users(locks),
				     DH_RT_KNOWN);
	/* Else others used it, and the diaries know how, if they do. */
	return after ? read : suspect(s, read);
}

static dh_rt_word from_locked(struct dh_rt_step *s, dh_rt_word w)
{
	uint32_t c = meet(s, w);
	if (!is_own(s, w) && !dh_rt_before(s->vc, w))
		return DH_RT_FINE;
	if (dh_rt_held_doubtful(c) && !knows_users(s, s->vc, DH_LOCKSET_EMPTY))
		return DH_RT_FINE;
	if (c == DH_LOCKSET_EMPTY)
		return unlocked(s, w);
	return s->write ? mine(s, DH_RT_LOCKED, c, dh_rt_flags(w))
			: dh_rt_make(DH_RT_LOCKED, dh_rt_label(w), c, dh_rt_flags(w));
}

/* Has t heard of all that these readers did? Several slots may share a bit. */
static bool knows_readers(const struct dh_rt_step *s, uint32_t readers)
{
	uint32_t own = dh_record_slot(s->epoch), n = DH_LOAD(&dh_slot_count);
	for (uint32_t slot = 1; slot < n; slot++)
		if (slot != own && (readers >> slot % DH_RT_INFO_BITS & 1) &&
		    DH_LOAD(&dh_rt_latest[slot].clock) > s->vc[slot])
			return false;
	return true;
}

static dh_rt_word from_read(struct dh_rt_step *s, dh_rt_word w)
{
	bool after = is_own(s, w) || dh_rt_before(s->vc, w);
	if (after && !s->write)
		return w | (uint64_t)dh_rt_reader(s->epoch) << DH_RT_INFO_SHIFT;
	if (!after)
		return DH_RT_FINE;
	dh_rt_word owned = mine(s, DH_RT_OWNED, s->locks, DH_RT_KNOWN);
	return knows_readers(s, dh_rt_info(w)) ? owned : suspect(s, owned);
}

dh_rt_word dh_rt_object_step(struct dh_rt_step *s, dh_rt_word w)
{
	s->untold = 0;
	switch (dh_rt_state(w)) {
	case DH_RT_OWNED:
		return from_owned(s, w);
	case DH_RT_LOCKED:
		return from_locked(s, w);
	case DH_RT_READ:
		return from_read(s, w);
	default:
		return mine(s, DH_RT_OWNED, s->locks, s->heap ? 0 : DH_RT_KNOWN);
	}
}

/* ---- fields ---- */

/* Does the weak order have all that is known of the field? Of those who used it under the
 * locks of LOCKED only the first is in the label. */
static bool is_after(const struct dh_rt_step *s, dh_rt_word w)
{
	if (is_own(s, w) || !dh_rt_before(s->weak, w))
		return false;
	return dh_rt_state(w) != DH_RT_LOCKED || knows_users(s, s->weak, dh_rt_info(w));
}

/* Here the strong order is left to the cells (refine.h). Where the weak clock has all
 * that the strong one has there is nothing to suspect: what that leaves open they report.
 */
dh_rt_word dh_rt_field_step(const struct dh_rt_step *s, dh_rt_word w, bool *suspect)
{
	bool own = is_own(s, w);
	*suspect = false;
	if (dh_rt_state(w) == DH_RT_TOLD) {
		*suspect = !own && dh_rt_info(w) < DH_RT_MORE;
		return w;
	}
	*suspect = (w & DH_RT_MIXED) && s->sealed != UINT32_MAX;
	if (dh_rt_state(w) == DH_RT_VIRGIN || s->sealed == UINT32_MAX || is_after(s, w))
		return mine(s, DH_RT_OWNED, s->locks, 0);
	if (own && dh_rt_state(w) == DH_RT_OWNED)
		return mine(s, DH_RT_OWNED, s->locks, dh_rt_flags(w));
	uint32_t c = meet(s, w);
	if (c != DH_LOCKSET_EMPTY && dh_rt_state(w) == DH_RT_LOCKED)
		return dh_rt_make(DH_RT_LOCKED, dh_rt_label(w), c,
				  dh_rt_flags(w) | (s->write ? DH_RT_WROTE : 0));
	if (c != DH_LOCKSET_EMPTY || !wrote(s, w))
		return mine(s, DH_RT_LOCKED, c, dh_rt_flags(w));
	*suspect = true;
	return mine(s, DH_RT_OWNED, s->locks, dh_rt_flags(w));
}
