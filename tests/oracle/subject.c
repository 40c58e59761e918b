/* SPDX-License-Identifier: MIT */
/*
 * What each engine promises (the table of engines in the trace format's contract),
 * as comparisons of its reports with the naive oracles.
 *
 * The frame takes repeats of a pair of sites on a variable out, so a report may be
 * missing where an earlier one has the same variable, kind and site of its second
 * access; the first report on a variable never is.
 */
#include "subject.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 3, 4))) static bool expect_that(struct exam *x, bool holds,
							      const char *format, ...)
{
	x->checks++;
	if (holds || x->failed)
		return holds;
	x->failed = true;
	va_list args;
	va_start(args, format);
	vsnprintf(x->why, sizeof x->why, format, args);
	va_end(args);
	return false;
}

/* ---- single reports ---- */

static bool mark_is(const struct naive *n, const struct dh_mark *m, uint32_t var,
		    bool write)
{
	if (m->index >= n->trace->count)
		return false;
	const struct dh_event *ev = &n->trace->at[m->index];
	return ev->op == (write ? DH_WRITE : DH_READ) && ev->target == var &&
	       ev->thread == m->thread && ev->site == m->site;
}

/* Every report of every engine: both accesses are what the trace has there, they
 * are of different threads and of one incarnation; `observed` means a strong race,
 * and `potential` does not hide one. reads_conflict is Goldilocks to the letter. */
static void check_report(struct exam *x, const struct dh_race *r, bool reads_conflict)
{
	const struct naive *n = x->naive;
	uint32_t i = (uint32_t)r->first.index, j = (uint32_t)r->second.index;
	if (!expect_that(x, mark_is(n, &r->second, r->var, r->second_write),
			 "x%u: second access %u is not in the trace", r->var, j))
		return;
	if (!r->has_first) {
		expect_that(x, r->grade != DH_OBSERVED,
			    "x%u@%u: observed without a first", r->var, j);
		return;
	}
	if (!expect_that(x, mark_is(n, &r->first, r->var, r->first_write),
			 "x%u: first access %u is not in the trace", r->var, i))
		return;
	expect_that(x, naive_meet(n, i, j),
		    "x%u: %u and %u are out of order, of one thread or apart by an alloc",
		    r->var, i, j);
	bool unordered = !naive_before(n, NAIVE_STRONG, i, j);
	bool conflict = reads_conflict || naive_conflict(n, i, j);
	expect_that(x, r->grade != DH_OBSERVED || (unordered && conflict),
		    "x%u: %u and %u are no race, yet observed", r->var, i, j);
}

/* ---- lists of reports ---- */

static bool reported_at(const struct outcome *o, uint32_t var, uint32_t second)
{
	for (uint32_t k = 0; k < o->count; k++)
		if (o->at[k].var == var && o->at[k].second.index == second)
			return true;
	return false;
}

static bool reported(const struct outcome *o, uint32_t var)
{
	for (uint32_t k = 0; k < o->count; k++)
		if (o->at[k].var == var)
			return true;
	return false;
}

static bool wanted_at(const struct verdicts *v, uint32_t var, uint32_t second)
{
	for (uint32_t k = 0; k < v->count; k++)
		if (v->at[k].var == var && v->at[k].second == second)
			return true;
	return false;
}

static bool wanted(const struct verdicts *v, uint32_t var)
{
	for (uint32_t k = 0; k < v->count; k++)
		if (v->at[k].var == var)
			return true;
	return false;
}

/* Was this verdict perhaps taken out as a repeat? */
static bool may_be_repeat(const struct exam *x, const struct verdict *v)
{
	const struct dh_event *ev = &x->naive->trace->at[v->second];
	for (uint32_t k = 0; k < x->got->count; k++) {
		const struct dh_race *r = &x->got->at[k];
		if (r->var == v->var && r->second.index < v->second &&
		    r->second.site == ev->site && r->second_write == (ev->op == DH_WRITE))
			return true;
	}
	return false;
}

static void check_wanted(struct exam *x, const struct verdicts *v)
{
	for (uint32_t k = 0; k < v->count; k++)
		expect_that(x,
			    reported_at(x->got, v->at[k].var, v->at[k].second) ||
				may_be_repeat(x, &v->at[k]),
			    "x%u@%u is missing", v->at[k].var, v->at[k].second);
}

static void check_variables(struct exam *x, const struct verdicts *v)
{
	for (uint32_t k = 0; k < v->count; k++)
		expect_that(x, reported(x->got, v->at[k].var), "x%u is missing",
			    v->at[k].var);
	for (uint32_t k = 0; k < x->got->count; k++)
		expect_that(x, wanted(v, x->got->at[k].var), "x%u is reported in vain",
			    x->got->at[k].var);
}

static void check_each(struct exam *x, const struct subject *s, bool reads_conflict)
{
	expect_that(x, !x->got->lost, "more reports than the test can hold");
	for (uint32_t k = 0; k < x->got->count; k++) {
		const struct dh_race *r = &x->got->at[k];
		check_report(x, r, reads_conflict);
		expect_that(x, s->graded || r->grade == x->got->at[0].grade,
			    "two grades");
		expect_that(x, r->grade != DH_PREDICTED, "grade predicted");
	}
}

/* ---- the promises ---- */

/* djit, fasttrack, goldilocks: only strong races, and of every incarnation that has
 * one the earliest. */
static void precise(struct exam *x, const struct subject *s)
{
	struct verdicts v;
	s->expect(x->naive, &v);
	check_each(x, s, false);
	for (uint32_t k = 0; k < x->got->count; k++)
		expect_that(x, x->got->at[k].grade == DH_OBSERVED, "x%u is not observed",
			    x->got->at[k].var);
	check_variables(x, &v);
	check_wanted(x, &v);
}

/* goldilocks-paper: exactly these accesses. */
static void to_the_letter(struct exam *x, const struct subject *s)
{
	struct verdicts v;
	s->expect(x->naive, &v);
	check_each(x, s, true);
	for (uint32_t k = 0; k < v.count; k++)
		expect_that(x, reported_at(x->got, v.at[k].var, v.at[k].second),
			    "x%u@%u is missing", v.at[k].var, v.at[k].second);
	for (uint32_t k = 0; k < x->got->count; k++)
		expect_that(x,
			    wanted_at(&v, x->got->at[k].var,
				      (uint32_t)x->got->at[k].second.index),
			    "x%u@%u is reported in vain", x->got->at[k].var,
			    (uint32_t)x->got->at[k].second.index);
}

static void same_variables(struct exam *x, const struct subject *s)
{
	struct verdicts v;
	s->expect(x->naive, &v);
	check_variables(x, &v);
}

/* Engines that report a variable once in each incarnation, at a certain access. */
static void once(struct exam *x, const struct subject *s)
{
	struct verdicts v;
	s->expect(x->naive, &v);
	check_each(x, s, false);
	check_wanted(x, &v);
	for (uint32_t k = 0; k < x->got->count; k++) {
		const struct dh_race *r = &x->got->at[k];
		uint32_t second = (uint32_t)r->second.index;
		expect_that(x, wanted_at(&v, r->var, second),
			    "x%u@%u is reported in vain", r->var, second);
		expect_that(x, s->graded || r->grade == DH_POTENTIAL,
			    "x%u@%u is not potential", r->var, second);
		for (uint32_t o = 0; o < k; o++)
			expect_that(x, x->got->at[o].second.index != second,
				    "x%u@%u is reported twice", r->var, second);
	}
}

/* RaceTrack's grade: observed where the label of a strong race is still there. */
static void once_graded(struct exam *x, const struct subject *s)
{
	struct verdicts v;
	once(x, s);
	s->expect(x->naive, &v);
	for (uint32_t k = 0; k < x->got->count; k++) {
		const struct dh_race *r = &x->got->at[k];
		for (uint32_t o = 0; o < v.count; o++)
			expect_that(x,
				    v.at[o].second != r->second.index ||
					!v.at[o].must_observe || r->grade == DH_OBSERVED,
				    "x%u@%u should be observed", r->var, v.at[o].second);
	}
}

static void basic_verdicts(const struct naive *n, struct verdicts *v)
{
	naive_racetrack_basic(n, v, NULL);
}

/* racetrack-basic, and what it says of strong races: one that it does not report
 * by then has a lock in common. */
static void basic(struct exam *x, const struct subject *s)
{
	once_graded(x, s);
	struct verdicts v;
	lockbits lockset[WORLD_EVENTS];
	naive_racetrack_basic(x->naive, &v, lockset);
	for (uint32_t j = 0; j < x->naive->trace->count; j++)
		for (uint32_t i = 0; i < j; i++)
			if (naive_race(x->naive, NAIVE_STRONG, i, j))
				expect_that(
				    x,
				    lockset[j] ||
					reported(x->got, x->naive->trace->at[j].target),
				    "strong race %u, %u goes by", i, j);
}

/* A filter that also keeps the grades. */
static void same_grades(struct exam *x, const struct subject *s)
{
	once_graded(x, s);
	for (uint32_t k = 0; k < x->got->count; k++)
		for (uint32_t o = 0; o < x->plain->count; o++)
			expect_that(
			    x,
			    x->got->at[k].second.index != x->plain->at[o].second.index ||
				x->got->at[k].grade == x->plain->at[o].grade,
			    "x%u@%u: another grade than without the filter",
			    x->got->at[k].var, (uint32_t)x->got->at[k].second.index);
}

static bool observed(const struct outcome *o, uint32_t var)
{
	for (uint32_t k = 0; k < o->count; k++)
		if (o->at[k].var == var && o->at[k].grade == DH_OBSERVED)
			return true;
	return false;
}

/* multirace: the variables of djit and lockset together; djit's are observed, and
 * what is only potential is a warning of lockset's. */
static void both(struct exam *x, const struct subject *s)
{
	struct verdicts strong, locks;
	naive_earliest(x->naive, &strong);
	naive_lockset(x->naive, &locks);
	check_each(x, s, false);
	for (uint32_t k = 0; k < strong.count; k++)
		expect_that(x, observed(x->got, strong.at[k].var), "x%u is not observed",
			    strong.at[k].var);
	for (uint32_t k = 0; k < locks.count; k++)
		expect_that(x, reported(x->got, locks.at[k].var), "x%u is missing",
			    locks.at[k].var);
	for (uint32_t k = 0; k < x->got->count; k++) {
		const struct dh_race *r = &x->got->at[k];
		uint32_t second = (uint32_t)r->second.index;
		expect_that(x,
			    r->grade == DH_OBSERVED || wanted_at(&locks, r->var, second),
			    "x%u@%u is reported in vain", r->var, second);
	}
}

/* ---- filters on their own ---- */

/* Races of the hybrid relation, or of the strong one. */
static bool races(const struct naive *n, bool hybrid, uint32_t i, uint32_t j)
{
	if (!hybrid)
		return naive_race(n, NAIVE_STRONG, i, j);
	return naive_race(n, NAIVE_WEAK, i, j) && (n->locks[i] & n->locks[j]) == 0;
}

/* Do two accesses that passed race at the sites of i and j? */
static bool triple_passed(const struct exam *x, bool hybrid, uint32_t i, uint32_t j)
{
	const struct trace *t = x->naive->trace;
	uint32_t low = DH_MIN(t->at[i].site, t->at[j].site);
	uint32_t high = DH_MAX(t->at[i].site, t->at[j].site);
	for (uint32_t b = 0; b < t->count; b++) {
		if (!x->got->passed[b] || t->at[b].target != t->at[j].target)
			continue;
		for (uint32_t a = 0; a < b; a++)
			if (x->got->passed[a] &&
			    DH_MIN(t->at[a].site, t->at[b].site) == low &&
			    DH_MAX(t->at[a].site, t->at[b].site) == high &&
			    races(x->naive, hybrid, a, b))
				return true;
	}
	return false;
}

/* Every racing (site, site, variable) of the trace is one of what passed. */
static void keeps_triples(struct exam *x, bool hybrid)
{
	for (uint32_t j = 0; j < x->naive->trace->count; j++)
		for (uint32_t i = 0; i < j; i++)
			if (races(x->naive, hybrid, i, j) &&
			    !(x->got->passed[i] && x->got->passed[j]))
				expect_that(x, triple_passed(x, hybrid, i, j),
					    "%s race %u, %u: no pair like it passes",
					    hybrid ? "hybrid" : "strong", i, j);
}

static void lossless_hybrid(struct exam *x, const struct subject *s)
{
	(void)s;
	keeps_triples(x, true);
}

static void lossless(struct exam *x, const struct subject *s)
{
	(void)s;
	keeps_triples(x, true);
	keeps_triples(x, false);
}

const struct subject subjects[] = {
    {"djit", NULL, precise, naive_earliest, false},
    {"fasttrack", NULL, precise, naive_earliest, false},
    {"goldilocks", NULL, precise, naive_earliest, false},
    {"goldilocks-paper", NULL, to_the_letter, naive_goldilocks_paper, false},
    {"eraser", NULL, once, naive_eraser, false},
    {"lockset", NULL, once, naive_lockset, false},
    {"multirace", NULL, both, NULL, true},
    {"racetrack-basic", NULL, basic, basic_verdicts, true},
    {"patent", NULL, basic, basic_verdicts, true},
    {"racetrack", NULL, once, naive_racetrack, true},
    {"racetrack-basic", "tree", once, basic_verdicts, true},
    {"patent", "tree", once, basic_verdicts, true},
    {"print", "tree", lossless_hybrid, NULL, false},
    {"djit", "tree-strict", precise, naive_earliest, false},
    {"fasttrack", "tree-strict", precise, naive_earliest, false},
    {"goldilocks", "tree-strict", precise, naive_earliest, false},
    {"goldilocks-paper", "tree-strict", same_variables, naive_goldilocks_paper, false},
    {"racetrack-basic", "tree-strict", same_grades, basic_verdicts, true},
    {"patent", "tree-strict", same_grades, basic_verdicts, true},
    {"print", "tree-strict", lossless, NULL, false},
    {"djit", "span", precise, naive_earliest, false},
    {"fasttrack", "span", precise, naive_earliest, false},
    {"goldilocks", "span", precise, naive_earliest, false},
    {NULL, NULL, NULL, NULL, false},
};
