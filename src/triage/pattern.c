/* SPDX-License-Identifier: MIT */
/* See pattern.h: the table of patterns, and those that need no source. What the source
 * tells is in pattern_source.c. */
#define _GNU_SOURCE
#include "triage/pattern_internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct dh_pattern_text dh_pattern_texts[DH_PATTERNS] = {
    [DH_PATTERN_USE_AFTER_FREE] =
	{"use-after-free", "memory is freed while it is in use",
	 "Make the free wait for the last use: join the user first, count references, or "
	 "free under the lock that all users hold."},
    [DH_PATTERN_MISSING_LOCK] =
	{"missing-lock", "a lock is missing",
	 "Take the lock around this access too, or find out why it may go without."},
    [DH_PATTERN_DOUBLE_CHECKED] =
	{"double-checked-locking", "double-checked locking",
	 "The first check is outside of the lock: make the variable atomic, load it with "
	 "acquire and store it with release, or use call_once or a static local."},
    [DH_PATTERN_PUBLICATION] =
	{"publication", "published without a release",
	 "The other thread may see the pointer before what it points to: store it with "
	 "release and load it with acquire, or hand it over under a lock."},
    [DH_PATTERN_LAZY_INIT] =
	{"lazy-init", "made at first use, by more than one",
	 "Two threads can both find it missing and both make it: use call_once or a "
	 "static "
	 "local, make it before the threads start, or hold a lock from the check on."},
    [DH_PATTERN_COUNTER] =
	{"counter", "a counter that loses counts",
	 "Reading, changing and writing back are three steps, and another thread can "
	 "come "
	 "in between: use an atomic add (relaxed is enough for statistics) or a lock."},
    [DH_PATTERN_FLAG] = {"flag-polling", "a flag that is polled",
			 "The compiler may read a plain flag once and loop for ever: "
			 "make it atomic, with "
			 "release and acquire where data comes with it, or wait on a "
			 "condition variable."},
    [DH_PATTERN_SAME_VALUE] =
	{"same-value", "the same value is written again",
	 "No value is lost, but the compiler may rely on there being no race: make it "
	 "atomic (relaxed), or write only where the value differs."},
};

const char *dh_pattern_say(struct dh_pool *pool, const char *format, ...)
{
	char *text;
	va_list args;
	va_start(args, format);
	int len = vasprintf(&text, format, args);
	va_end(args);
	if (len < 0)
		return "";
	const char *kept = dh_pool_text(pool, text, (size_t)len);
	free(text);
	return kept;
}

const char *dh_pattern_function(const struct dh_finding_access *a, struct dh_name *name)
{
	uint32_t own = dh_stack_own(a->stack, 0);
	if (own >= a->stack->len || a->stack->at[own]->lost)
		return "?";
	dh_name_frame(a->stack->at[own], name);
	return name->text;
}

/* ---- use after free ---- */

static const char *use_after_free(const struct dh_pattern_view *v)
{
	const struct dh_finding *f = v->finding;
	bool first = f->has_first && f->first.op == DH_OP_FREE;
	if (!first && f->second.op != DH_OP_FREE)
		return NULL;
	const struct dh_finding_access *freed = first ? &f->first : &f->second;
	const struct dh_finding_access *other = first ? &f->second : &f->first;
	struct dh_name in, at;
	if (other->op == DH_OP_FREE)
		return dh_pattern_say(v->pool, "`%s` and `%s` free the same block",
				      dh_pattern_function(freed, &in),
				      dh_pattern_function(other, &at));
	return dh_pattern_say(v->pool,
			      "`%s` frees the block, `%s` %s it, and nothing orders "
			      "the two",
			      dh_pattern_function(freed, &in),
			      dh_pattern_function(other, &at),
			      other->op == DH_OP_WRITE ? "writes to" : "reads");
}

/* ---- a missing lock ---- */

static bool same_lock(const struct dh_finding_lock *a, const struct dh_finding_lock *b)
{
	if (a->address && b->address)
		return strcmp(a->address, b->address) == 0;
	return strcmp(a->name, b->name) == 0;
}

static bool holds(const struct dh_finding_access *a, const struct dh_finding_lock *l)
{
	for (size_t i = 0; i < a->locks.len; i++)
		if (same_lock(&a->locks.at[i], l))
			return true;
	for (size_t i = 0; i < a->locks_maybe.len; i++)
		if (same_lock(&a->locks_maybe.at[i], l))
			return true;
	return false;
}

/* It is known that the access was made without this lock. */
static bool lacks(const struct dh_finding_access *a, const struct dh_finding_lock *l)
{
	return a->locks_known && !a->locks_lost && !holds(a, l);
}

/* The lock that most accesses hold: two thirds of at least four. What one thread does
 * that never writes says nothing: it may hold the lock for reasons of its own. */
static const struct dh_finding_held *usual_lock(const struct dh_finding_evidence *e)
{
	if (!e || e->accesses < 4 || !e->held_len || (e->threads == 1 && !e->writes))
		return NULL;
	return e->held[0].count * 3 >= e->accesses * 2 ? &e->held[0] : NULL;
}

static const char *missing_usual(const struct dh_pattern_view *v,
				 const struct dh_finding_held *usual)
{
	const struct dh_finding *f = v->finding;
	bool first = f->has_first && lacks(&f->first, usual->lock);
	bool second = lacks(&f->second, usual->lock);
	struct dh_name name;
	if (!first && !second)
		return NULL;
	char who[DH_NAME_MAX + 32] = "these did not";
	if (first != second)
		snprintf(who, sizeof who, "the one in `%s` did not",
			 dh_pattern_function(first ? &f->first : &f->second, &name));
	return dh_pattern_say(
	    v->pool, "%" PRIu64 " of %" PRIu64 " accesses hold `%s`, %s", usual->count,
	    v->finding->evidence->accesses, usual->lock->name, who);
}

static bool is_bare(const struct dh_finding_access *a)
{
	return a->locks_known && !a->locks.len && !a->locks_maybe.len && !a->locks_lost;
}

/* Without evidence, two accesses are all there is: a write that was made with a lock
 * held, and an access with none at all. (That a reader holds a lock says less: it may be
 * about something else that it reads.) Which lock it is, all findings of the cause tell.
 */
static const char *missing_on_one_side(struct dh_pattern_view *v)
{
	const struct dh_finding_access *a = &v->finding->first, *b = &v->finding->second;
	if (!v->finding->has_first || is_bare(a) == is_bare(b) ||
	    dh_pattern_double_checked(v)) /* which says it better */
		return NULL;
	const struct dh_finding_access *holder = is_bare(a) ? b : a;
	if (holder->op != DH_OP_WRITE || !holder->locks_known)
		return NULL;
	v->holder = holder;
	v->bare = is_bare(a) ? a : b;
	return "";
}

/* By name, since findings are of different runs; elements of an array are one. */
static uint64_t kind_of(const struct dh_finding_lock *l)
{
	struct dh_name name;
	dh_name_variable(l->global ? l->global->name : l->name,
			 l->global ? l->global->part : NULL, &name);
	return dh_pool_hash(4, name.text, name.len);
}

static bool among(const struct dh_finding_locks *set, uint64_t kind)
{
	for (size_t i = 0; i < set->len; i++)
		if (kind_of(&set->at[i]) == kind)
			return true;
	return false;
}

static bool contradicts(const struct dh_finding_access *a, uint64_t kind)
{
	return a->locks_known && a->locks.len && !among(&a->locks, kind) &&
	       !among(&a->locks_maybe, kind);
}

static bool confirms(const struct dh_finding_access *a, uint64_t kind)
{
	return a->op == DH_OP_WRITE && among(&a->locks, kind);
}

static bool could_be(uint64_t kind, const struct dh_pattern_jury *jury)
{
	bool sure = false;
	for (uint64_t i = 0; i < jury->count; i++) {
		const struct dh_finding *f = jury->findings[i];
		if (contradicts(&f->first, kind) || contradicts(&f->second, kind))
			return false;
		sure |= confirms(&f->first, kind) || confirms(&f->second, kind);
	}
	return sure;
}

static bool ask(uint64_t kind, struct dh_pattern_jury *jury)
{
	uint64_t *verdict = dh_map_put(&jury->verdicts, kind, NULL);
	if (!*verdict)
		*verdict = could_be(kind, jury) ? 1 : 2;
	return *verdict == 1;
}

bool dh_pattern_settle(struct dh_pattern *p, struct dh_pattern_jury *jury,
		       struct dh_pool *pool)
{
	const struct dh_finding_locks *sets[] = {&p->holder->locks,
						 &p->holder->locks_maybe};
	struct dh_name with, without;
	for (size_t s = 0; s < DH_ARRAY_LEN(sets); s++)
		for (size_t i = sets[s]->len; i > 0; i--) { /* the innermost first */
			const struct dh_finding_lock *l = &sets[s]->at[i - 1];
			if (!ask(kind_of(l), jury))
				continue;
			p->because =
			    dh_pattern_say(pool, "`%s` holds `%s`, `%s` holds no lock",
					   dh_pattern_function(p->holder, &with), l->name,
					   dh_pattern_function(p->bare, &without));
			return true;
		}
	return false;
}

static const char *missing_lock(struct dh_pattern_view *v)
{
	const struct dh_finding_evidence *e = v->finding->evidence;
	const struct dh_finding_held *usual = usual_lock(e);
	if (usual)
		return missing_usual(v, usual);
	return e && e->accesses >= 4 ? NULL : missing_on_one_side(v);
}

/* ---- counters and values ---- */

/* Does one of the two only look, and not as the first step of a change of its own? Then
 * it may see an old count, but none is lost. */
static bool only_looked_at(const struct dh_pattern_view *v)
{
	const struct dh_pattern_side *r = &v->first, *w = &v->second;
	if (w->access->op == DH_OP_READ) {
		r = &v->second;
		w = &v->first;
	}
	bool same_line = r->frame && w->frame && r->frame->line == w->frame->line &&
			 r->frame->function == w->frame->function;
	return v->finding->has_first && r->access->op == DH_OP_READ && !same_line &&
	       !(r->uses & DH_USE_UPDATE);
}

static const char *counter(const struct dh_pattern_view *v)
{
	const struct dh_finding_evidence *e = v->finding->evidence;
	if (only_looked_at(v))
		return NULL;
	if (e && e->writes >= 3 && e->steps_len && e->steps[0].by) {
		uint64_t changes = e->other_steps;
		for (size_t i = 0; i < e->steps_len; i++)
			changes += e->steps[i].count;
		if (e->steps[0].count * 5 >= changes * 4 &&
		    e->read_then_write * 5 >= e->writes * 4)
			return dh_pattern_say(v->pool,
					      "%" PRIu64 " of %" PRIu64
					      " changes were by %+" PRId64
					      ", each a read and then a write",
					      e->steps[0].count, changes, e->steps[0].by);
	}
	return dh_pattern_counter_source(v);
}

static const char *same_value(const struct dh_pattern_view *v)
{
	const struct dh_finding_evidence *e = v->finding->evidence;
	if (!e || !e->writes)
		return dh_pattern_same_source(v);
	if (e->same_value < e->writes || e->writes < 2)
		return NULL;
	return dh_pattern_say(
	    v->pool, "all %" PRIu64 " writes since left the value as it was", e->writes);
}

/* ---- all of them ---- */

size_t dh_patterns_find(const struct dh_finding *f, struct dh_excerpts *excerpts,
			struct dh_pool *pool, struct dh_pattern to[DH_PATTERNS])
{
	static const char *(*const finders[DH_PATTERNS])(
	    const struct dh_pattern_view *v) = {
	    [DH_PATTERN_USE_AFTER_FREE] = use_after_free,
	    [DH_PATTERN_DOUBLE_CHECKED] = dh_pattern_double_checked,
	    [DH_PATTERN_PUBLICATION] = dh_pattern_publication,
	    [DH_PATTERN_LAZY_INIT] = dh_pattern_lazy_init,
	    [DH_PATTERN_COUNTER] = counter,
	    [DH_PATTERN_FLAG] = dh_pattern_flag,
	    [DH_PATTERN_SAME_VALUE] = same_value,
	};
	struct dh_pattern_view v = {.finding = f, .pool = pool};
	size_t len = 0;
	dh_pattern_look(&v, excerpts);
	for (int k = 0; k < DH_PATTERNS; k++) {
		const char *because = finders[k] ? finders[k](&v) : missing_lock(&v);
		if (because)
			to[len++] = (struct dh_pattern){
			    .kind = (enum dh_pattern_kind)k,
			    .because = because,
			    .holder = k == DH_PATTERN_MISSING_LOCK ? v.holder : NULL,
			    .bare = k == DH_PATTERN_MISSING_LOCK ? v.bare : NULL,
			};
	}
	return len;
}
