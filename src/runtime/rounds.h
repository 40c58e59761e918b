/* SPDX-License-Identifier: MIT */
/*
 * What the rounds of a loop do to granules at equal distances: a track. Each round makes
 * the same accesses to its granule, and neighbouring granules mostly hold the same two
 * words; then the same becomes of them. So the first round goes by the entry points, one
 * access after the other, and what came of all of them together is remembered for the
 * next ones: as recall.h does for one access, of which this is the counterpart where the
 * loop is known.
 *
 * That is done where what comes of an access depends on nothing but the cell's two words
 * and the thread's clock. Granules that are split, have elders, or readers with places of
 * their own go by the entry points each time.
 *
 * Context: as an entry point; a signal handler may run at any moment, and begin a new
 * time frame.
 */
#ifndef DH_RUNTIME_ROUNDS_H
#define DH_RUNTIME_ROUNDS_H

#include "runtime/aligned.h"
#include "runtime/blend.h"
#include "runtime/cells.h"

/* One access, aligned and within a granule. */
struct dh_member {
	uint64_t pc;
	uint8_t at, size; /* in the granule */
	bool write;
	uint8_t next; /* number of the next one of the same track; DH_NO_MEMBER */
};
enum { DH_NO_MEMBER = 0xff };

/* What the accesses of one round found and made, and in which time frame; 0 for that
 * where it says nothing of others. */
struct dh_change {
	uint64_t now;
	dh_record write, read;	       /* found */
	dh_record write_now, read_now; /* made */
	bool plain;		       /* all that went was the thread's own */
	bool joined;		       /* the reads became a set with those of others */
	bool anew;		       /* the same comes of all that is ordered before */
	bool blended;		       /* the writes became one record (blend.h) */
};

struct dh_track {
	uintptr_t at; /* the granule of the next round */
	intptr_t step;
	uint64_t write_need,
	    read_need;		  /* what a repeat has (dh_record_need()); 0: nothing */
	uint8_t wrote, only_read; /* the bytes */
	uint8_t first;		  /* number of its first member */
	uint8_t vain;		  /* changes that were not met again */
	bool whole;		  /* all bytes of the granule */
	struct dh_change last;
};

typedef void dh_member_fn(uintptr_t granule, const struct dh_member *p);

/* ---- what is remembered ---- */

/* Is it a repeat of all that a round does? */
DH_INLINE bool dh_track_repeats(uint64_t write_need, uint64_t read_need, uint64_t now,
				dh_record write, dh_record read)
{
	return ((write ^ now) & write_need) == 0 &&
	       (((read ^ now) & read_need) == 0 || ((write ^ now) & read_need) == 0);
}

/* Does what comes of it depend on nothing but the word and the clock? */
DH_INLINE bool dh_change_general(dh_record word)
{
	return dh_record_is_tag(word)
		   ? dh_sets_is_set(word)
		   : !(word & DH_ELDERS_FLAG) && !dh_record_is_kept(word);
}

/* The reads of a cell with those of a round added to them, as far as that is at hand. */
static DH_NOINLINE dh_record dh_track_joined(struct dh_self *t,
					     const struct dh_member *all, unsigned first,
					     dh_record read)
{
	for (unsigned i = first; i != DH_NO_MEMBER && read; i = all[i].next) {
		const struct dh_member *p = &all[i];
		const unsigned mask = dh_mask_of(p->at, p->size);
		const uint32_t site = dh_site_at_hand(t, p->pc);
		if (dh_sets_is_set(read) && dh_set_known(t, read, mask))
			continue;
		read = site ? dh_joined_readers(t, read,
						dh_record_make(t->now, mask, false, site))
			    : 0;
	}
	return read;
}

/* Is all that goes the thread's own, where a round finds these? */
DH_INLINE bool dh_change_plain(const struct dh_track *k, uint64_t now, dh_record write,
			       dh_record read)
{
	if (k->wrote)
		return dh_record_own(write, now) && (!read || dh_record_own(read, now));
	return dh_record_same_slot(read ? read : write, now);
}

/* Single records, that a round comes after? */
DH_INLINE bool dh_change_after(const struct dh_self *t, dh_record write, dh_record read)
{
	return dh_change_general(write) && dh_change_general(read) &&
	       dh_is_ordered(t->vc, write) && dh_is_ordered(t->vc, read);
}

/* What a round makes of such, where it is all bytes that it writes, or all that it reads,
 * has nothing of what was there. */
DH_INLINE bool dh_change_anew(const struct dh_track *k, const struct dh_self *t,
			      const struct dh_change *l)
{
	if (!dh_change_after(t, l->write, l->read))
		return false;
	if (k->wrote)
		return k->wrote == DH_WHOLE && !l->read_now &&
		       ((l->write_now ^ l->now) & k->write_need) == 0;
	return k->only_read == DH_WHOLE && ((l->read_now ^ l->now) & k->read_need) == 0;
}

/* A round has found these in its cell, and has been done: what became of them? Others may
 * have changed the cell since; so a word that is not the thread's own is believed only
 * where the thread knows itself that it made it. */
DH_INLINE void dh_change_learn(struct dh_track *k, struct dh_self *t,
			       const struct dh_cell *c, const struct dh_member *all,
			       uint64_t now, dh_record write, dh_record read)
{
	const dh_record write_now = DH_LOAD(&c->write), read_now = DH_LOAD(&c->read);
	struct dh_change *l = &k->last;
	l->now = 0;
	if (t->now != now || t->alike || t->kin || !dh_change_general(write) ||
	    !dh_change_general(read) || !dh_change_general(write_now) ||
	    !dh_change_general(read_now) || !dh_all_ordered(t, write))
		return;
	if (k->wrote ? !dh_all_ordered(t, read) : write_now != write)
		return;
	l->joined = dh_record_is_tag(read_now) && read_now != read;
	l->blended = write_now != write && dh_record_site(write_now) >= DH_BLEND_FIRST;
	if (dh_track_repeats(k->write_need, k->read_need, now, write_now, read_now)) {
		if (read_now && read_now != read && !dh_record_same_epoch(read_now, now))
			return;
	} else if (k->wrote || dh_track_joined(t, all, k->first, read) != read_now) {
		return;
	}
	l->write = write;
	l->read = read;
	l->write_now = write_now;
	l->read_now = read_now;
	l->plain = dh_change_plain(k, now, write, read) && (k->wrote || !l->joined);
	l->now = now;
	l->anew = dh_change_anew(k, t, l);
}

/* A round finds something else than the last one: is it known all the same what comes of
 * it? Of arrays that many threads have written a few cells each. */
DH_INLINE bool dh_change_adapts(struct dh_track *k, const struct dh_cell *c)
{
	const struct dh_self *t = dh_thread_base();
	const dh_record write = DH_LOAD(&c->write), read = DH_LOAD(&c->read);
	struct dh_change *l = &k->last;
	if (!l->anew || !(write | read) || !dh_change_after(t, write, read))
		return false;
	l->write = write;
	l->read = read;
	if (!k->wrote)
		l->write_now = write;
	l->plain = dh_change_plain(k, l->now, write, read);
	return true;
}

/* ---- what is done with it ---- */

static DH_NOINLINE void dh_track_met(uintptr_t granule, const struct dh_member *all,
				     unsigned first)
{
	for (unsigned i = first; i != DH_NO_MEMBER; i = all[i].next)
		dh_access_slow(granule, dh_mask_of(all[i].at, all[i].size),
			       DH_ACCESS_AGAIN | (all[i].write ? DH_ACCESS_WRITE : 0),
			       all[i].pc);
}

/* Do the reads go, since all their bytes are written? They are looked at again before. */
DH_INLINE bool dh_change_clears(const struct dh_change *l)
{
	return l->read && !l->read_now;
}

/* A cell holds what the last one did: the same becomes of it, by locked instructions.
 * False: somebody else has changed it, the accesses are still to be made. What was not
 * changed here is looked at again: of two at the same instant one sees the other. */
DH_INLINE bool dh_change_swap(const struct dh_track *k, uintptr_t at, struct dh_cell *c,
			      const struct dh_member *all)
{
	const struct dh_change *l = &k->last;
	struct dh_self *t = dh_thread_base();
	const bool writes = l->write != l->write_now, clears = dh_change_clears(l);
	const bool reads = l->read != l->read_now && !clears;
	t->firsts++;
	if (writes && !dh_swap(t, &c->write, l->write, l->write_now))
		return false;
	const bool read = reads && dh_swap(t, &c->read, l->read, l->read_now);
	if (reads && !read && !writes)
		return false;
	/* Once its write is there, the entry points would take it for a repeat. */
	if (DH_UNLIKELY((reads && !read) || (!writes && DH_LOAD(&c->write) != l->write) ||
			(!reads && DH_LOAD(&c->read) != l->read)))
		dh_track_met(at, all, k->first);
	else if (clears)
		DH_STORE(&c->read, 0);
	return true;
}

/* Puts what is made into cells as long as they hold what was found; of writes, or reads,
 * those that change. Returns how many. */
DH_INLINE uintptr_t dh_change_put(const struct dh_change *l, struct dh_cell *c,
				  uintptr_t most, intptr_t step, bool writes, bool reads)
{
	const dh_cell_bits was = dh_cell_bits_of(l->write, l->read);
	const dh_record write_now = l->write_now, read_now = l->read_now;
	uintptr_t n = 0;
	for (; n < most && dh_cell_is(c, was); n++) {
		if (writes)
			DH_STORE(&c->write, write_now);
		if (reads)
			DH_STORE(&c->read, read_now);
		c = (struct dh_cell *)((char *)c + step);
	}
	return n;
}

/* Do so many cells hold that? Word by word, as they have just been stored: a load of two
 * waits until a store to one of them has come to the cache. */
DH_INLINE bool dh_change_holds(const struct dh_change *l, const struct dh_cell *c,
			       uintptr_t count, intptr_t step)
{
	uint64_t differs = 0;
	for (; count; count--) {
		differs |= DH_LOAD(&c->write) ^ l->write_now;
		differs |= DH_LOAD(&c->read) ^ l->read_now;
		c = (const struct dh_cell *)((const char *)c + step);
	}
	return !differs;
}

/* Cells of rounds from `at` on do not all hold what was put there, or are to lose their
 * reads now: each by itself. */
static DH_NOINLINE void dh_change_look(const struct dh_track *k, uintptr_t at,
				       struct dh_cell *c, uintptr_t rounds, intptr_t step,
				       const struct dh_member *all)
{
	const struct dh_change *l = &k->last;
	const bool clears = dh_change_clears(l);
	const dh_record read_then = clears ? l->read : l->read_now;
	for (; rounds; rounds--, at += (uintptr_t)k->step) {
		if (DH_LOAD(&c->write) != l->write_now || DH_LOAD(&c->read) != read_then)
			dh_track_met(at, all, k->first);
		else if (clears)
			DH_STORE(&c->read, 0);
		c = (struct dh_cell *)((char *)c + step);
	}
}

/* The same of as many cells as hold what the last one did, by plain stores (recalled.h).
 * A word that stays as it is is left alone, since somebody else may be about to change
 * it. Some at a time, of which each is looked at again afterwards: whoever came meanwhile
 * may not have seen what was stored. Returns how many. */
DH_INLINE uintptr_t dh_change_store(const struct dh_track *k, uintptr_t at,
				    struct dh_cell *c, uintptr_t rounds, intptr_t step,
				    const struct dh_member *all)
{
	enum { SOME = 16 };
	const struct dh_change *l = &k->last;
	const bool writes = l->write != l->write_now, clears = dh_change_clears(l);
	const bool reads = l->read != l->read_now && !clears;
	const uintptr_t some = DH_MIN(rounds, (uintptr_t)SOME);
	uintptr_t n;
	if (writes)
		n = reads ? dh_change_put(l, c, some, step, true, true)
			  : dh_change_put(l, c, some, step, true, false);
	else
		n = reads ? dh_change_put(l, c, some, step, false, true)
			  : dh_change_put(l, c, some, step, false, false);
	if (clears || !dh_change_holds(l, c, n, step))
		dh_change_look(k, at, c, n, step, all);
	return n;
}

/* May plain stores do? Where all that goes is the thread's own; or as in recalled.h,
 * where whoever comes at the same instant races with it, or only reads. Other bytes of a
 * granule others may use all the time, and be right. */
DH_INLINE bool dh_change_by_stores(const struct dh_track *k, const struct dh_self *t)
{
	return k->last.plain || (k->whole && dh_recalls(t));
}

/* As many cells as hold what the last one did: the same becomes of them. Returns how
 * many. */
DH_INLINE uintptr_t dh_change_again(const struct dh_track *k, uintptr_t at,
				    struct dh_cell *c, uintptr_t rounds, intptr_t step,
				    const struct dh_member *all)
{
	const struct dh_change *l = &k->last;
	struct dh_self *t = dh_thread_base();
	uintptr_t n;
	if (DH_LOAD(&c->write) != l->write || DH_LOAD(&c->read) != l->read)
		return 0;
	if (l->write == l->write_now && l->read == l->read_now)
		return dh_change_put(l, c, rounds, step, false, false);
	if (!(l->write | l->read))
		dh_warm_expect(c);
	if (dh_change_by_stores(k, t))
		n = dh_change_store(k, at, c, rounds, step, all);
	else
		n = dh_change_swap(k, at, c, all);
	if (l->joined)
		t->state->read_sets.hits += (uint32_t)n;
	if (l->blended)
		t->state->write_blends.hits += (uint32_t)n;
	return n;
}

/* The same, where what is found may be something else. */
DH_INLINE uintptr_t dh_change_known(struct dh_track *k, uintptr_t at, struct dh_cell *c,
				    uintptr_t rounds, intptr_t step,
				    const struct dh_member *all)
{
	const uintptr_t n = dh_change_again(k, at, c, rounds, step, all);
	if (n || !dh_change_adapts(k, c))
		return n;
	return dh_change_again(k, at, c, rounds, step, all);
}

/* ---- the whole ---- */

DH_INLINE void dh_track_each(uintptr_t at, const struct dh_member *all, unsigned first,
			     dh_member_fn *one)
{
	for (unsigned i = first; i != DH_NO_MEMBER; i = all[i].next)
		one(at, &all[i]);
}

/* What is neither a repeat nor as the last one was. */
static DH_NOINLINE void dh_track_first(struct dh_track *k, uintptr_t at,
				       struct dh_cell *c, const struct dh_member *all,
				       dh_member_fn *one)
{
	enum { IN_VAIN = 16 };
	struct dh_self *t = dh_thread_base();
	const uint64_t now = t->simply;
	const dh_record write = DH_LOAD(&c->write), read = DH_LOAD(&c->read);
	if (!k->wrote && dh_sets_is_set(read) && dh_set_known(t, read, k->only_read)) {
		k->last = (struct dh_change){.now = now,
					     .write = write,
					     .read = read,
					     .write_now = write,
					     .read_now = read};
		return;
	}
	dh_track_each(at, all, k->first, one);
	if (now && k->vain < IN_VAIN) {
		k->vain++;
		dh_change_learn(k, t, c, all, now, write, read);
	}
}

/* Does the cell have the time frame's record of all that a round does? */
DH_INLINE bool dh_track_repeats_in(const struct dh_cell *c, uint64_t now,
				   uint64_t write_need, uint64_t read_need, bool writes)
{
	const dh_record read = DH_LOAD(&c->read);
	if (!writes && ((read ^ now) & read_need) == 0)
		return true;
	const dh_record write = DH_LOAD(&c->write);
	return dh_track_repeats(write_need, read_need, now, write, read);
}

/* How many of the next cells, by fours, have it in the word of their reads? */
DH_INLINE uintptr_t dh_track_repeated(const struct dh_cell *c, uintptr_t rounds,
				      intptr_t step, uint64_t now, uint64_t need)
{
	enum { ONCE = 4 };
	const char *p = (const char *)&c->read;
	uintptr_t n = 0;
	for (; n + ONCE <= rounds; n += ONCE, p += ONCE * step) {
		const uint64_t a = DH_LOAD((const uint64_t *)(const void *)p) ^ now;
		const uint64_t b =
		    DH_LOAD((const uint64_t *)(const void *)(p + step)) ^ now;
		const uint64_t d =
		    DH_LOAD((const uint64_t *)(const void *)(p + 2 * step)) ^ now;
		const uint64_t e =
		    DH_LOAD((const uint64_t *)(const void *)(p + 3 * step)) ^ now;
		if ((a | b | d | e) & need)
			break;
	}
	return n;
}

/* Rounds whose cells begin at c. The time frame is asked for once: what a handler
 * releases in between may have these rounds before it, as all that is told ahead of its
 * time. */
DH_INLINE void dh_track_run(struct dh_track *k, struct dh_cell *c, uintptr_t rounds,
			    const struct dh_member *all, dh_member_fn *one, bool writes)
{
	const uint64_t now = dh_thread_base()->now;
	const uint64_t write_need = k->write_need, read_need = k->read_need;
	const intptr_t step = k->step * (intptr_t)(sizeof *c / DH_GRANULE);
	char *p = (char *)c;
	for (uintptr_t i = 0, n; i < rounds; i += n, p += (intptr_t)n * step) {
		n = 1;
		c = (struct dh_cell *)p;
		if (dh_track_repeats_in(c, now, write_need, read_need, writes)) {
			if (!writes)
				n += dh_track_repeated(
				    (const struct dh_cell *)(const void *)(p + step),
				    rounds - i - 1, step, now, read_need);
			continue;
		}
		const uintptr_t at = k->at + i * (uintptr_t)k->step;
		if (k->last.now == now &&
		    (n = dh_change_known(k, at, c, rounds - i, step, all)) != 0)
			continue;
		dh_track_first(k, at, c, all, one);
		n = 1;
	}
}

static DH_NOINLINE void dh_track_reads(struct dh_track *k, struct dh_cell *c,
				       uintptr_t rounds, const struct dh_member *all,
				       dh_member_fn *one)
{
	dh_track_run(k, c, rounds, all, one, false);
}

static DH_NOINLINE void dh_track_writes(struct dh_track *k, struct dh_cell *c,
					uintptr_t rounds, const struct dh_member *all,
					dh_member_fn *one)
{
	dh_track_run(k, c, rounds, all, one, true);
}

/* Of so many rounds, how many stay in the piece of the shadow that has `at`? */
DH_INLINE uintptr_t dh_track_within(uintptr_t at, intptr_t step, uintptr_t rounds)
{
	const uintptr_t way = (uintptr_t)__builtin_labs(step);
	const uintptr_t last = ((uintptr_t)1 << DH_PIECE_BITS) - 1, into = at & last;
	const uintptr_t room = step < 0 ? into : last - into;
	return way * rounds <= room ? rounds : DH_MIN(rounds, room / way + 1);
}

/* So many rounds; one() makes any access. */
static DH_NOINLINE void dh_track_rounds(struct dh_track *k, const struct dh_member *all,
					uintptr_t rounds, dh_member_fn *one)
{
	struct dh_self *t = dh_thread_base();
	k->vain = 0;
	for (uintptr_t some; rounds; rounds -= some, k->at += some * (uintptr_t)k->step) {
		const uintptr_t base = dh_flat_base(k->at);
		if (DH_UNLIKELY(base <= 1 || !t->simply)) {
			dh_track_each(k->at, all, k->first, one);
			some = 1;
			continue;
		}
		some = dh_track_within(k->at, k->step, rounds);
		t->dirty = true;
		(k->write_need ? dh_track_writes : dh_track_reads)(
		    k, dh_flat_cell_at(base, k->at), some, all, one);
	}
}

#endif
