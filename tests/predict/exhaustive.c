/* SPDX-License-Identifier: MIT */
/* Every correct reordering of a small trace; see exhaustive.h. */
#include "exhaustive.h"
#include "base/map.h"

#include <string.h>

static const struct dh_event *event(const struct facts *f, uint32_t e)
{
	return &f->t->at[e];
}

static bool is_access(const struct dh_event *ev)
{
	return ev->op == DH_READ || ev->op == DH_WRITE;
}

static bool is_volatile(const struct dh_event *ev)
{
	return ev->op == DH_VOLATILE_READ || ev->op == DH_VOLATILE_WRITE;
}

/* ---- facts ---- */

static void find_lives(struct facts *f)
{
	int life[SMALL_VARS] = {0}, last[SMALL_VARS];
	memset(last, -1, sizeof last);
	for (uint32_t e = 0; e < f->t->count; e++) {
		const struct dh_event *ev = event(f, e);
		f->source[e] = -1;
		if (ev->op == DH_ALLOC) {
			f->life[e] = ++life[ev->target];
			last[ev->target] = -1;
		}
		if (!is_access(ev))
			continue;
		f->life[e] = life[ev->target];
		f->source[e] = last[ev->target];
		if (ev->op == DH_WRITE)
			last[ev->target] = (int)e;
	}
}

static void find_episodes(struct facts *f)
{
	int episode[WORLD_BARRIERS] = {0}, inside[WORLD_BARRIERS][SMALL_THREADS];
	bool left[WORLD_BARRIERS] = {0};
	memset(inside, -1, sizeof inside);
	for (uint32_t e = 0; e < f->t->count; e++) {
		const struct dh_event *ev = event(f, e);
		uint32_t b = ev->target;
		if (ev->op == DH_BARRIER_ENTER) {
			episode[b] += left[b];
			left[b] = false;
			f->life[e] = inside[b][ev->thread] = episode[b];
		} else if (ev->op == DH_BARRIER_LEAVE) {
			int mine = inside[b][ev->thread];
			f->life[e] = mine >= 0 ? mine : episode[b];
			inside[b][ev->thread] = -1;
			left[b] |= f->life[e] == episode[b];
		}
	}
}

/* What the calls around an event reach, as a set of variables. */
static uint32_t reach(const struct facts *f, uint32_t e)
{
	uint32_t set = 0, stack[SMALL_EVENTS], depth = 0;
	for (uint32_t i = 0; i <= e; i++) {
		const struct dh_event *ev = event(f, i);
		if (ev->thread != event(f, e)->thread)
			continue;
		if (ev->op == DH_METHOD_BEGIN) {
			stack[depth] = 0;
			for (uint32_t k = 0; k < ev->reach_count; k++)
				stack[depth] |= 1u << ev->reach[k];
			depth++;
		}
		if (ev->op == DH_METHOD_END && i != e)
			depth--;
	}
	while (depth > 0)
		set |= stack[--depth];
	return set;
}

static bool methods_order(const struct facts *f, uint32_t o, uint32_t e)
{
	const struct dh_event *x = event(f, o), *y = event(f, e);
	uint32_t a = reach(f, o), b = reach(f, e);
	return (a & b) || (is_access(x) && b & 1u << x->target) ||
	       (is_access(y) && a & 1u << y->target);
}

/* Must o, earlier in the trace, be done before e? */
static bool must_precede(const struct facts *f, uint32_t o, uint32_t e)
{
	const struct dh_event *x = event(f, o), *y = event(f, e);
	bool same = x->target == y->target;
	if (x->op == DH_FORK && x->target == y->thread)
		return true;
	if (y->op == DH_JOIN && (x->thread == y->target || (x->op == DH_FORK && same)))
		return true;
	if (x->op == DH_SEND && y->op == DH_RECEIVE && same)
		return true;
	if (x->op == DH_BARRIER_ENTER && y->op == DH_BARRIER_LEAVE && same &&
	    f->life[o] == f->life[e])
		return true;
	if (is_volatile(x) && is_volatile(y) && same)
		return x->op == DH_VOLATILE_WRITE || y->op == DH_VOLATILE_WRITE;
	if (x->op == DH_ALLOC && is_access(y) && same && f->life[o] == f->life[e])
		return true;
	return f->methods && methods_order(f, o, e);
}

void facts_find(struct facts *f, const struct trace *t, bool methods)
{
	memset(f, 0, sizeof *f);
	f->t = t;
	f->methods = methods;
	find_lives(f);
	find_episodes(f);
	for (uint32_t e = 0; e < t->count; e++) {
		uint32_t thread = t->at[e].thread;
		f->position[e] = f->length[thread];
		f->order[thread][f->length[thread]++] = e;
		for (uint32_t o = 0; o < e; o++)
			if (must_precede(f, o, e))
				f->before[e] |= 1u << o;
	}
}

/* ---- states ---- */

enum { LIVES = 8 };

struct state {
	uint32_t done;		       /* a set of events */
	int memory[SMALL_VARS][LIVES]; /* the last write + 1; lives beyond are one */
};

static int life_slot(int life)
{
	return DH_MIN(life, LIVES - 1);
}

static bool lock_is_free(const struct facts *f, const struct state *s, uint32_t e)
{
	const struct dh_event *y = event(f, e);
	bool write = y->op == DH_ACQUIRE;
	if ((!write && y->op != DH_READ_ACQUIRE) || y->nested)
		return true;
	for (int other = 0; other < SMALL_THREADS; other++) {
		int writes = 0, reads = 0;
		for (uint32_t i = 0; i < f->t->count; i++) {
			const struct dh_event *x = event(f, i);
			if (!(s->done >> i & 1) || x->thread != (uint32_t)other ||
			    x->target != y->target)
				continue;
			writes += (x->op == DH_ACQUIRE) - (x->op == DH_RELEASE);
			reads += (x->op == DH_READ_ACQUIRE) - (x->op == DH_READ_RELEASE);
		}
		if (other != (int)y->thread && (writes || (write && reads)))
			return false;
	}
	return true;
}

/* Everything but what it reads. */
static bool is_ready(const struct facts *f, const struct state *s, uint32_t e)
{
	int p = f->position[e];
	if (p > 0 && !(s->done >> f->order[event(f, e)->thread][p - 1] & 1))
		return false;
	return !(s->done >> e & 1) && !(f->before[e] & ~s->done) && lock_is_free(f, s, e);
}

static bool initial_is_there(const struct facts *f, const struct state *s, uint32_t e)
{
	const struct dh_event *y = event(f, e);
	for (uint32_t i = 0; i < f->t->count; i++) {
		const struct dh_event *x = event(f, i);
		if (!(s->done >> i & 1) || x->op != DH_WRITE || x->target != y->target ||
		    f->life[i] != f->life[e])
			continue;
		if (!x->has_value || !y->has_value || x->value != y->value)
			return false;
	}
	return true;
}

static bool reads_the_same(const struct facts *f, const struct state *s, uint32_t e)
{
	const struct dh_event *y = event(f, e);
	if (y->op != DH_READ)
		return true;
	if (f->source[e] < 0)
		return initial_is_there(f, s, e);
	int w = s->memory[y->target][life_slot(f->life[e])] - 1;
	if (w == f->source[e])
		return true;
	const struct dh_event *source = event(f, (uint32_t)f->source[e]);
	if (w < 0 || !y->has_value || (source->has_value && source->value != y->value))
		return false;
	return event(f, (uint32_t)w)->has_value &&
	       event(f, (uint32_t)w)->value == y->value;
}

static void take(const struct facts *f, struct state *s, uint32_t e)
{
	const struct dh_event *ev = event(f, e);
	s->done |= 1u << e;
	if (ev->op == DH_WRITE)
		s->memory[ev->target][life_slot(f->life[e])] = (int)e + 1;
}

static bool conflict(const struct facts *f, uint32_t a, uint32_t b)
{
	const struct dh_event *x = event(f, a), *y = event(f, b);
	return is_access(x) && is_access(y) && x->thread != y->thread &&
	       x->target == y->target && f->life[a] == f->life[b] &&
	       (x->op == DH_WRITE || y->op == DH_WRITE);
}

/* ---- the search ---- */

static uint64_t key_of(const struct state *s)
{
	uint64_t key = s->done;
	for (int x = 0; x < SMALL_VARS; x++)
		for (int l = 0; l < LIVES; l++)
			key =
			    key * 31 + (uint64_t)s->memory[x][l] * 0x9e3779b97f4a7c15ull;
	return dh_mix(key) ^ s->done;
}

static void visit(const struct facts *f, const struct state *s, struct dh_map *seen,
		  struct pairs *out)
{
	uint32_t next[SMALL_THREADS];
	int count = 0;
	bool fresh;
	dh_map_put(seen, key_of(s), &fresh);
	if (!fresh)
		return;
	for (uint32_t e = 0; e < f->t->count; e++)
		if (is_ready(f, s, e))
			next[count++] = e;
	for (int i = 0; i < count; i++) {
		for (int k = i + 1; k < count; k++)
			if (conflict(f, next[i], next[k]))
				out->at[next[i]][next[k]] = true;
		if (!reads_the_same(f, s, next[i]))
			continue;
		struct state then = *s;
		take(f, &then, next[i]);
		visit(f, &then, seen, out);
	}
}

void exhaustive_search(const struct facts *f, struct pairs *out)
{
	struct dh_map seen = {0};
	struct state start = {0};
	memset(out, 0, sizeof *out);
	visit(f, &start, &seen, out);
	dh_map_free(&seen);
}

bool exhaustive_legal(const struct facts *f, const uint32_t *events, size_t count)
{
	struct state s = {0};
	if (count < 2)
		return false;
	for (size_t i = 0; i < count; i++)
		if (events[i] >= f->t->count)
			return false;
	for (size_t i = 0; i + 2 < count; i++) {
		if (!is_ready(f, &s, events[i]) || !reads_the_same(f, &s, events[i]))
			return false;
		take(f, &s, events[i]);
	}
	uint32_t a = events[count - 2], b = events[count - 1];
	return conflict(f, a, b) && is_ready(f, &s, a) && is_ready(f, &s, b);
}

/* ---- happens-before and causally-precedes ---- */

typedef bool relation[SMALL_EVENTS][SMALL_EVENTS];

static bool is_acquire(const struct dh_event *ev)
{
	return !ev->nested && (ev->op == DH_ACQUIRE || ev->op == DH_READ_ACQUIRE);
}

static bool is_release(const struct dh_event *ev)
{
	return !ev->nested && (ev->op == DH_RELEASE || ev->op == DH_READ_RELEASE);
}

/* A release o and a later acquire e of one lock, not both in read mode. */
static bool lock_edge(const struct facts *f, uint32_t o, uint32_t e)
{
	const struct dh_event *x = event(f, o), *y = event(f, e);
	return is_release(x) && is_acquire(y) && x->target == y->target &&
	       (x->op == DH_RELEASE || y->op == DH_ACQUIRE);
}

static void happens_before(const struct facts *f, bool locks, relation r)
{
	uint32_t n = f->t->count;
	memset(r, 0, sizeof(relation));
	for (uint32_t e = 0; e < n; e++)
		for (uint32_t o = 0; o < e; o++) {
			const struct dh_event *x = event(f, o), *y = event(f, e);
			bool free = (is_volatile(x) && !(x->op == DH_VOLATILE_WRITE &&
							 y->op == DH_VOLATILE_READ)) ||
				    x->op == DH_ALLOC;
			r[o][e] = x->thread == y->thread ||
				  (locks && lock_edge(f, o, e)) ||
				  (!free && must_precede(f, o, e)) ||
				  (x->thread == y->target && y->op == DH_JOIN);
		}
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t j = 0; r[i][k] && j < n; j++)
				r[i][j] |= r[k][j];
}

static void unordered(const struct facts *f, const relation r, const relation s,
		      struct pairs *out)
{
	memset(out, 0, sizeof *out);
	for (uint32_t b = 0; b < f->t->count; b++)
		for (uint32_t a = 0; a < b; a++)
			out->at[a][b] = conflict(f, a, b) && !r[a][b] && !(s && s[a][b]);
}

void naive_hb(const struct facts *f, struct pairs *out)
{
	relation r;
	happens_before(f, true, r);
	unordered(f, r, NULL, out);
}

struct section {
	uint32_t acquire, release; /* the count of events where there is none */
	bool write;
};

static size_t find_sections(const struct facts *f, struct section *out)
{
	size_t n = 0;
	for (uint32_t e = 0; e < f->t->count; e++) {
		const struct dh_event *x = event(f, e);
		if (!is_acquire(x))
			continue;
		struct section s = {e, f->t->count, x->op == DH_ACQUIRE};
		uint8_t end = s.write ? DH_RELEASE : DH_READ_RELEASE;
		for (uint32_t i = e; i < f->t->count && s.release == f->t->count; i++) {
			const struct dh_event *y = event(f, i);
			if (!y->nested && y->thread == x->thread && y->op == end &&
			    y->target == x->target)
				s.release = i;
		}
		out[n++] = s;
	}
	return n;
}

static bool inside(const struct facts *f, const struct section *s, uint32_t e)
{
	return event(f, e)->thread == event(f, s->acquire)->thread && e >= s->acquire &&
	       e <= s->release;
}

static bool rules_order(const struct facts *f, const struct section *s,
			const struct section *t, const relation cp)
{
	for (uint32_t a = 0; a < f->t->count; a++)
		for (uint32_t b = 0; inside(f, s, a) && b < f->t->count; b++)
			if (inside(f, t, b) && (conflict(f, a, b) || cp[a][b]))
				return true;
	return false;
}

static bool compose(uint32_t n, relation cp, const relation hb)
{
	bool grown = false;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < n; k++)
			for (uint32_t j = 0; j < n; j++) {
				bool yes =
				    (hb[i][k] && cp[k][j]) || (cp[i][k] && hb[k][j]);
				grown |= yes && !cp[i][j];
				cp[i][j] |= yes;
			}
	return grown;
}

void naive_cp(const struct facts *f, struct pairs *out)
{
	relation cp, hb, weak;
	struct section at[SMALL_EVENTS];
	size_t n = find_sections(f, at);
	happens_before(f, true, hb);
	happens_before(f, false, weak);
	memset(cp, 0, sizeof cp);
	for (bool grown = true; grown;) {
		grown = compose(f->t->count, cp, hb);
		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; k < n; k++) {
				uint32_t r = at[i].release, a = at[k].acquire;
				if (r >= a || r == f->t->count || !lock_edge(f, r, a) ||
				    event(f, r)->thread == event(f, a)->thread ||
				    cp[r][a] || !rules_order(f, &at[i], &at[k], cp))
					continue;
				cp[r][a] = grown = true;
			}
	}
	unordered(f, weak, cp, out);
}
