/* SPDX-License-Identifier: MIT */
/*
 * RaceTrack's adaptive threadset (section 2.4.1, Figure 4). Tracking both sets of
 * Figure 2 at every access is dear, so a variable starts with less and gets more as
 * it raises suspicion: first nothing but its thread, then one label, then a lockset
 * alone, and only when that is empty labels and lockset together.
 *
 * With t the accessing thread, k its clock, L_t its locks, and S' = Merge(Remove(S_x,
 * B_t), {<t, k>}):
 *
 *   Virgin          -> Exclusive0(t)
 *   Exclusive0(t)   stays for t; for another -> Exclusive1, S_x = {<t, k>}
 *   Exclusive1      |S'| = 1: stays, S_x = S'; else C_x = L_t,
 *                   read -> Shared-Read, write -> Shared-Modify1
 *   Shared-Read     C_x meets L_t; write -> Shared-Modify1
 *   Shared-Modify1  C_x meets L_t
 *                   with an empty C_x, also on entry -> Exclusive2, S_x = {<t, k>}
 *   Exclusive2      |S'| = 1: stays, S_x = S'; else -> Shared-Modify2, C_x = L_t
 *   Shared-Modify2  S_x = S'; |S'| = 1 -> Exclusive2; else C_x meets L_t
 *                   with an empty C_x, also on entry -> Report-Race
 *   Report-Race     stays
 *
 * What the figure leaves open is settled so: an empty C_x counts at once where it
 * arises (a write without locks does not wait in Shared-Modify1 for the next access),
 * and the access that leads out of Shared-Modify1 is the first label of Exclusive2.
 *
 * Labels. The frame's clock also ticks when a lock is released, which the paper's
 * does not. Every clock of one weak time frame gets the same answers from the weak
 * relation (racetrack_basic.c), so the clock that the thread had at its first access
 * in the frame stands for all of them. The words then change as seldom as the
 * paper's, and few threadsets are made.
 *
 * Numbers that do not fit the 29 bits of word 1 are counted as table_overflow. A
 * lockset is replaced by the empty one, which is a subset of it, so that a race may
 * be stated too early but is not lost. A thread or slot cannot be replaced: the
 * access is left out, as if it had not been.
 */
#include "engines/racetrack_machine.h"

enum { RECLAIM_LEAST = 4096 }; /* garbage below this is not worth a sweep */

/* An access, as a step of the machine sees it, and what the step did. */
struct move {
	const struct dh_thread *t;
	const struct dh_access *a;
	struct dh_label label; /* <t, k> */
	bool low_accuracy;     /* left Shared-Modify1 */
	bool overflow;
};

void dh_racetrack_machine_init(struct dh_racetrack_machine *m,
			       struct dh_lockset_table *locksets)
{
	*m = (struct dh_racetrack_machine){.locksets = locksets};
	m->threadsets = dh_threadset_table_new();
	m->info_limit = DH_RACETRACK_INFO_MAX;
}

void dh_racetrack_machine_free(struct dh_racetrack_machine *m)
{
	dh_threadset_table_free(m->threadsets);
	dh_vec_free(&m->frames);
	dh_vec_free(&m->scratch);
}

void dh_racetrack_machine_start(struct dh_racetrack_machine *m, const struct dh_thread *t)
{
	dh_vec_grow(&m->frames, (size_t)t->party.id + 1);
}

/* The label that stands for t's accesses in its current weak time frame. */
static struct dh_label label_of(struct dh_racetrack_machine *m, const struct dh_thread *t,
				const struct dh_access *a)
{
	struct dh_racetrack_frame *f = &m->frames.at[t->party.id];
	uint32_t published = t->party.know[DH_WEAK].published;
	if (DH_UNLIKELY(f->published != published || f->slot != t->party.slot ||
			f->clock == 0))
		*f = (struct dh_racetrack_frame){published, t->party.slot, a->clock};
	return (struct dh_label){f->slot, f->clock};
}

static bool is_before(const struct move *v, uint32_t slot, uint32_t clock)
{
	return dh_order_before(&v->t->party, DH_WEAK, slot, clock);
}

/* ---- threadsets ---- */

/* S' of a threadset, in m->scratch. Returns whether it differs from S_x. */
static bool merge(struct dh_racetrack_machine *m, const struct move *v, dh_threadset set)
{
	uint32_t count;
	const struct dh_label *at = dh_threadset_items(m->threadsets, set, &count);
	dh_vec_reserve(&m->scratch, (size_t)count + 1);
	struct dh_label *out = m->scratch.at;
	uint32_t kept = 0, i = 0;
	bool same = false;
	for (; i < count && at[i].slot < v->label.slot; i++)
		if (!is_before(v, at[i].slot, at[i].clock))
			out[kept++] = at[i];
	out[kept++] = v->label;
	if (i < count && at[i].slot == v->label.slot)
		same = at[i++].clock == v->label.clock;
	for (; i < count; i++)
		if (!is_before(v, at[i].slot, at[i].clock))
			out[kept++] = at[i];
	m->scratch.len = kept;
	return !same || kept != count;
}

/* The offline frame hands over one event at a time: between two updates nobody holds
 * a number without a reference, which is the quiescent point that a sweep needs. */
static void count_threadsets(struct dh_racetrack_machine *m)
{
	struct dh_threadset_stats stats;
	dh_threadset_get_stats(m->threadsets, &stats);
	uint64_t garbage = stats.kept - stats.live;
	if (garbage >= RECLAIM_LEAST && garbage >= stats.live)
		stats.reclaimed += dh_threadset_reclaim(m->threadsets);
	m->threadsets_inserted = stats.inserted;
	m->threadsets_reclaimed = stats.reclaimed;
}

/* One more, one less holder of these words. */
static dh_racetrack_words ref(struct dh_racetrack_machine *m, dh_racetrack_words w)
{
	if (dh_racetrack_state(w) == DH_RACETRACK_SHARED_MODIFY2)
		dh_threadset_ref(m->threadsets, dh_racetrack_extra(w));
	return w;
}

static void unref(struct dh_racetrack_machine *m, dh_racetrack_words w)
{
	if (dh_racetrack_state(w) == DH_RACETRACK_SHARED_MODIFY2)
		dh_threadset_unref(m->threadsets, dh_racetrack_extra(w));
}

/* ---- states ---- */

static dh_racetrack_words locks_only(const struct dh_racetrack_machine *m, struct move *v,
				     enum dh_racetrack_state state, dh_lockset locks)
{
	v->overflow |= locks > m->info_limit;
	return dh_racetrack_pack(state, locks > m->info_limit ? DH_LOCKSET_EMPTY : locks,
				 0);
}

static dh_racetrack_words exclusive(const struct move *v, enum dh_racetrack_state state)
{
	return dh_racetrack_pack(state, v->label.slot, v->label.clock);
}

/* Shared-Modify1 with these locks, or what an empty set leads to. */
static dh_racetrack_words modify1(const struct dh_racetrack_machine *m, struct move *v,
				  dh_lockset locks)
{
	dh_racetrack_words w = locks_only(m, v, DH_RACETRACK_SHARED_MODIFY1, locks);
	if (dh_racetrack_info(w) != DH_LOCKSET_EMPTY)
		return w;
	v->low_accuracy = true;
	return exclusive(v, DH_RACETRACK_EXCLUSIVE2);
}

/* Shared-Modify2 with these locks, or what an empty set leads to. Takes over the
 * reference to set. */
static dh_racetrack_words modify2(struct dh_racetrack_machine *m, struct move *v,
				  dh_lockset locks, dh_threadset set)
{
	dh_racetrack_words w = locks_only(m, v, DH_RACETRACK_SHARED_MODIFY2, locks);
	if (dh_racetrack_info(w) != DH_LOCKSET_EMPTY)
		return w | (uint64_t)set << 32;
	dh_threadset_unref(m->threadsets, set);
	return dh_racetrack_pack(DH_RACETRACK_REPORT_RACE, v->t->party.id, 0);
}

static dh_racetrack_words from_exclusive1(const struct dh_racetrack_machine *m,
					  struct move *v, dh_racetrack_words w)
{
	if (is_before(v, dh_racetrack_info(w), dh_racetrack_extra(w)))
		return exclusive(v, DH_RACETRACK_EXCLUSIVE1);
	if (v->a->write)
		return modify1(m, v, v->a->locks);
	return locks_only(m, v, DH_RACETRACK_SHARED_READ, v->a->locks);
}

static dh_racetrack_words from_shared_read(const struct dh_racetrack_machine *m,
					   struct move *v, dh_lockset met)
{
	return v->a->write ? modify1(m, v, met)
			   : locks_only(m, v, DH_RACETRACK_SHARED_READ, met);
}

static dh_racetrack_words from_exclusive2(struct dh_racetrack_machine *m, struct move *v,
					  dh_racetrack_words w)
{
	struct dh_label old = {dh_racetrack_info(w), dh_racetrack_extra(w)};
	if (is_before(v, old.slot, old.clock))
		return exclusive(v, DH_RACETRACK_EXCLUSIVE2);
	bool first = old.slot < v->label.slot;
	struct dh_label both[2] = {first ? old : v->label, first ? v->label : old};
	return modify2(m, v, v->a->locks, dh_threadset_make(m->threadsets, both, 2));
}

static dh_racetrack_words from_shared_modify2(struct dh_racetrack_machine *m,
					      struct move *v, dh_racetrack_words w,
					      dh_lockset met)
{
	dh_threadset set = dh_racetrack_extra(w);
	if (!merge(m, v, set))
		return modify2(m, v, met, dh_threadset_ref(m->threadsets, set));
	if (m->scratch.len == 1)
		return exclusive(v, DH_RACETRACK_EXCLUSIVE2);
	set = dh_threadset_make(m->threadsets, m->scratch.at, (uint32_t)m->scratch.len);
	return modify2(m, v, met, set);
}

/* The next state; a threadset in it comes with a reference of its own. */
static dh_racetrack_words next(struct dh_racetrack_machine *m, struct move *v,
			       dh_racetrack_words w)
{
	uint32_t id = v->t->party.id, info = dh_racetrack_info(w);
	if (DH_UNLIKELY(DH_MAX(id, v->label.slot) > m->info_limit)) {
		v->overflow = true;
		return ref(m, w);
	}
	switch (dh_racetrack_state(w)) {
	case DH_RACETRACK_VIRGIN:
		return dh_racetrack_pack(DH_RACETRACK_EXCLUSIVE0, id, 0);
	case DH_RACETRACK_EXCLUSIVE0:
		return info == id ? w : exclusive(v, DH_RACETRACK_EXCLUSIVE1);
	case DH_RACETRACK_EXCLUSIVE1:
		return from_exclusive1(m, v, w);
	case DH_RACETRACK_SHARED_READ:
	case DH_RACETRACK_SHARED_MODIFY1:
	case DH_RACETRACK_SHARED_MODIFY2: {
		dh_lockset met = info;
		if (info != v->a->locks)
			met = dh_lockset_intersect(m->locksets, info, v->a->locks);
		if (dh_racetrack_state(w) == DH_RACETRACK_SHARED_READ)
			return from_shared_read(m, v, met);
		if (dh_racetrack_state(w) == DH_RACETRACK_SHARED_MODIFY1)
			return modify1(m, v, met);
		return from_shared_modify2(m, v, w, met);
	}
	case DH_RACETRACK_EXCLUSIVE2:
		return from_exclusive2(m, v, w);
	case DH_RACETRACK_REPORT_RACE:
	case DH_RACETRACK_STATES:
		break;
	}
	return w;
}

/* Relaxed throughout: the words hold numbers, and the tables see to it themselves
 * that who has a number can read what it names. */
bool dh_racetrack_advance(struct dh_racetrack_machine *m, dh_racetrack_words *words,
			  const struct dh_thread *t, const struct dh_access *a)
{
	const struct move start = {.t = t, .a = a, .label = label_of(m, t, a)};
	dh_racetrack_words old = __atomic_load_n(words, __ATOMIC_RELAXED);
	for (;;) {
		struct move v = start;
		dh_racetrack_words new = next(m, &v, old);
		bool same = new == old;
		if (!same &&
		    !__atomic_compare_exchange_n(words, &old, new, false,
						 __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
			unref(m, new);
			continue;
		}
		unref(m, old); /* either replaced, or held twice now */
		m->in_state[dh_racetrack_state(old)]++;
		m->unchanged += same;
		m->low_accuracy += v.low_accuracy;
		m->table_overflow += v.overflow;
		if (same)
			return false;
		if (dh_racetrack_state(old) == DH_RACETRACK_SHARED_MODIFY2 ||
		    dh_racetrack_state(new) == DH_RACETRACK_SHARED_MODIFY2)
			count_threadsets(m);
		return dh_racetrack_state(new) == DH_RACETRACK_REPORT_RACE;
	}
}

void dh_racetrack_forget(struct dh_racetrack_machine *m, dh_racetrack_words *words)
{
	unref(m, __atomic_exchange_n(words, 0, __ATOMIC_RELAXED));
}
