/* SPDX-License-Identifier: MIT */
/*
 * The papers' state machines, one variable at a time over the whole trace:
 *
 *   Goldilocks to the letter: the invariant of its Figure 1 (the theorem), two
 *     neighbouring accesses of a variable, of whatever kind, must be ordered.
 *   Eraser: virgin, exclusive, shared, shared-modified.
 *   LockSet: MultiRace, Figures 4 and 6. Any first access, not only a write,
 *     leaves Virgin: else the reader would be lost.
 *   RaceTrack: Figure 2 (basic) and Figure 4 (adaptive).
 *
 * A label <thread, clock> of RaceTrack is kept here as the access that made it: it
 * is ordered before another access iff that very access is.
 */
#include "naive.h"

#include <string.h>

static void add(struct verdicts *v, const struct naive *n, uint32_t i, bool must_observe)
{
	v->at[v->count++] = (struct verdict){n->trace->at[i].target, i, must_observe};
}

/* The number of variables: one more than the largest. */
static uint32_t var_count(const struct naive *n)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < n->trace->count; i++)
		if (dh_op_kind(n->trace->at[i].op) == DH_NAME_VAR)
			count = DH_MAX(count, n->trace->at[i].target + 1);
	return count;
}

/* The events that concern a variable: its accesses and allocs, and the first leaves
 * of barrier episodes. An alloc starts a machine over, which also ends its silence
 * after a report. */
#define FOR_EACH_STEP(n, x, i)                                                           \
	for (uint32_t i = 0; i < (n)->trace->count; i++)                                 \
		if ((dh_op_kind((n)->trace->at[i].op) == DH_NAME_VAR &&                  \
		     (n)->trace->at[i].target == (x)) ||                                 \
		    (n)->closes[i])

/* ---- Goldilocks ---- */

void naive_goldilocks_paper(const struct naive *n, struct verdicts *v)
{
	v->count = 0;
	for (uint32_t j = 0; j < n->trace->count; j++) {
		if (!naive_is_access(n, j))
			continue;
		uint32_t var = n->trace->at[j].target, i = j;
		while (i-- > 0)
			if (dh_op_kind(n->trace->at[i].op) == DH_NAME_VAR &&
			    n->trace->at[i].target == var)
				break;
		if (i != UINT32_MAX && naive_is_access(n, i) &&
		    !naive_before(n, NAIVE_STRONG, i, j))
			add(v, n, j, true);
	}
}

/* ---- Eraser ---- */

struct eraser {
	enum { E_VIRGIN, E_EXCLUSIVE, E_SHARED, E_MODIFIED } state;
	uint32_t owner;
	lockbits c;
	bool reported;
};

static bool eraser_access(struct eraser *s, uint32_t t, bool write, lockbits locks)
{
	if (s->state == E_VIRGIN) {
		s->state = E_EXCLUSIVE;
		s->owner = t;
	}
	if (s->state == E_EXCLUSIVE) {
		if (s->owner == t)
			return false;
		s->state = E_SHARED;
		s->c = ALL_BITS;
	}
	s->c &= locks;
	if (write)
		s->state = E_MODIFIED;
	if (s->state != E_MODIFIED || s->c || s->reported)
		return false;
	return s->reported = true;
}

void naive_eraser(const struct naive *n, struct verdicts *v)
{
	v->count = 0;
	for (uint32_t x = 0; x < var_count(n); x++) {
		struct eraser s = {0};
		FOR_EACH_STEP(n, x, i)
		{
			const struct dh_event *ev = &n->trace->at[i];
			if (ev->op == DH_ALLOC)
				s = (struct eraser){0};
			else if (dh_op_is_access(ev->op) &&
				 eraser_access(&s, ev->thread, ev->op == DH_WRITE,
					       n->locks[i]))
				add(v, n, i, false);
		}
	}
}

/* ---- LockSet ---- */

struct lockset {
	enum { L_VIRGIN, L_INITIALIZING, L_SHARED, L_EMPTY, L_CLEAN, L_EXCLUSIVE } state;
	uint32_t owner;
	lockbits c;
	bool reported;
};

/* Returns whether Empty was reached. */
static bool lockset_shared(struct lockset *s, lockbits lh)
{
	s->c &= lh;
	s->state = s->c ? L_SHARED : L_EMPTY;
	return s->state == L_EMPTY;
}

static bool lockset_access(struct lockset *s, uint32_t t, lockbits lh)
{
	switch (s->state) {
	case L_VIRGIN:
		s->state = L_INITIALIZING;
		s->owner = t;
		return false;
	case L_INITIALIZING:
		if (s->owner == t)
			return false;
		s->c = ALL_BITS;
		return lockset_shared(s, lh);
	case L_SHARED:
		return lockset_shared(s, lh);
	case L_CLEAN:
		s->state = L_EXCLUSIVE;
		s->owner = t;
		s->c = lh;
		return false;
	case L_EXCLUSIVE:
		if (s->owner != t)
			return lockset_shared(s, lh);
		s->c &= lh;
		return false;
	case L_EMPTY:
		return false;
	}
	return false;
}

void naive_lockset(const struct naive *n, struct verdicts *v)
{
	v->count = 0;
	for (uint32_t x = 0; x < var_count(n); x++) {
		struct lockset s = {0};
		FOR_EACH_STEP(n, x, i)
		{
			const struct dh_event *ev = &n->trace->at[i];
			lockbits lh = n->locks[i] | (ev->op == DH_READ ? READERS_BIT : 0);
			if (ev->op == DH_ALLOC)
				s = (struct lockset){0};
			else if (n->closes[i])
				s.state = s.state == L_VIRGIN ? L_VIRGIN : L_CLEAN;
			else if (lockset_access(&s, ev->thread, lh) && !s.reported) {
				s.reported = true;
				add(v, n, i, false);
			}
		}
	}
}

/* ---- RaceTrack ---- */

/* A threadset: by thread, the access that made its label. */
struct threadset {
	uint32_t count;
	uint32_t at[WORLD_THREADS];
};

/* Merge(Remove(S, B_t), {<t, B_t(t)>}) for the access i. */
static void threadset_step(const struct naive *n, struct threadset *s, uint32_t i)
{
	struct threadset next = {0};
	for (uint32_t k = 0; k < s->count; k++)
		if (!naive_before(n, NAIVE_WEAK, s->at[k], i))
			next.at[next.count++] = s->at[k];
	next.at[next.count++] = i;
	*s = next;
}

/* Does the access i end a strong race with an access whose label is in S? Accesses
 * of one time frame have one label. */
static bool label_races(const struct naive *n, const struct threadset *s, uint32_t i)
{
	for (uint32_t k = 0; k < s->count; k++) {
		uint32_t label = s->at[k];
		for (uint32_t f = 0; f <= label && label != i; f++)
			if (n->trace->at[f].thread == n->trace->at[label].thread &&
			    n->frame[f] == n->frame[label] &&
			    naive_race(n, NAIVE_STRONG, f, i))
				return true;
	}
	return false;
}

struct basic {
	struct threadset s;
	lockbits c;
	bool reported;
};

static void basic_access(const struct naive *n, struct basic *b, uint32_t i,
			 struct verdicts *v)
{
	threadset_step(n, &b->s, i);
	b->c = b->s.count > 1 ? b->c & n->locks[i] : n->locks[i];
	if (b->s.count == 1 || b->c || b->reported)
		return;
	b->reported = true;
	add(v, n, i, label_races(n, &b->s, i));
}

void naive_racetrack_basic(const struct naive *n, struct verdicts *v, lockbits *lockset)
{
	v->count = 0;
	for (uint32_t x = 0; x < var_count(n); x++) {
		struct basic b = {.c = ALL_BITS};
		FOR_EACH_STEP(n, x, i)
		{
			if (n->trace->at[i].op == DH_ALLOC)
				b = (struct basic){.c = ALL_BITS};
			else if (naive_is_access(n, i))
				basic_access(n, &b, i, v);
			if (lockset && naive_is_access(n, i))
				lockset[i] = b.c;
		}
	}
}

struct adaptive {
	enum {
		R_VIRGIN,
		R_EXCLUSIVE0,
		R_EXCLUSIVE1,
		R_SHARED_READ,
		R_SHARED_MODIFY1,
		R_EXCLUSIVE2,
		R_SHARED_MODIFY2,
		R_REPORT_RACE,
	} state;
	uint32_t owner;
	struct threadset s;
	lockbits c;
};

static void only_label(struct threadset *s, uint32_t i)
{
	s->count = 1;
	s->at[0] = i;
}

/* The states in which only the lockset counts; an empty one in Shared-Modify1 is
 * where the threadset comes back. */
static void adaptive_lockset(struct adaptive *a, uint32_t i, bool write)
{
	if (write)
		a->state = R_SHARED_MODIFY1;
	if (a->state == R_SHARED_MODIFY1 && a->c == 0) {
		a->state = R_EXCLUSIVE2;
		only_label(&a->s, i);
	}
}

/* The states in which the threadset counts again. */
static void adaptive_threadset(struct adaptive *a, lockbits locks)
{
	if (a->s.count == 1) {
		a->state = R_EXCLUSIVE2;
		return;
	}
	a->c = a->state == R_EXCLUSIVE2 ? locks : a->c & locks;
	a->state = a->c ? R_SHARED_MODIFY2 : R_REPORT_RACE;
}

/* Returns whether Report-Race was reached. */
static bool adaptive_access(const struct naive *n, struct adaptive *a, uint32_t i)
{
	const struct dh_event *ev = &n->trace->at[i];
	switch (a->state) {
	case R_VIRGIN:
		a->state = R_EXCLUSIVE0;
		a->owner = ev->thread;
		return false;
	case R_EXCLUSIVE0:
		if (a->owner != ev->thread) {
			a->state = R_EXCLUSIVE1;
			only_label(&a->s, i);
		}
		return false;
	case R_EXCLUSIVE1:
		threadset_step(n, &a->s, i);
		if (a->s.count == 1)
			return false;
		a->state = R_SHARED_READ;
		a->c = n->locks[i];
		adaptive_lockset(a, i, ev->op == DH_WRITE);
		return false;
	case R_SHARED_READ:
	case R_SHARED_MODIFY1:
		a->c &= n->locks[i];
		adaptive_lockset(a, i, ev->op == DH_WRITE);
		return false;
	case R_EXCLUSIVE2:
	case R_SHARED_MODIFY2:
		threadset_step(n, &a->s, i);
		adaptive_threadset(a, n->locks[i]);
		return a->state == R_REPORT_RACE;
	case R_REPORT_RACE:
		return false;
	}
	return false;
}

void naive_racetrack(const struct naive *n, struct verdicts *v)
{
	v->count = 0;
	for (uint32_t x = 0; x < var_count(n); x++) {
		struct adaptive a = {0};
		FOR_EACH_STEP(n, x, i)
		{
			if (n->trace->at[i].op == DH_ALLOC)
				a = (struct adaptive){0};
			else if (naive_is_access(n, i) && adaptive_access(n, &a, i))
				add(v, n, i, false);
		}
	}
}
