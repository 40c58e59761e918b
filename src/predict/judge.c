/* SPDX-License-Identifier: MIT */
/*
 * The judge. For each pair of code locations: pairs of accesses that the must order of
 * the model leaves open; of these the cheap answers (refute.h) first, then the solver for
 * what is left. One solver serves a pair of locations, so that its answers do not depend
 * on what was asked about others.
 */
#include "predict/judge.h"
#include "predict/causal.h"
#include "predict/check.h"
#include "predict/encode.h"
#include "predict/refute.h"
#include "predict/witness.h"

enum {
	QUESTIONS_MAX = 256, /* to the solver, for a pair of locations in a window */
	GIVEN_UP_MAX = 2,    /* questions without an answer after which it is left */
	STEPS_PER_MS =
	    200000,	  /* of all that is not the solver; for a pair of locations */
	DENSE_MAX = 1000, /* events up to which the dense solver is taken */
};

struct pair {
	uint32_t a, b;
};

struct judge {
	const struct dh_judge_config *config;
	const struct dh_window *window;
	struct dh_verdict *to;
	struct dh_graph *graph;
	struct dh_clocks
	    *order; /* hb: strong; cp: weak; mc, rdit: must, with forced reads */
	struct dh_clocks *kept; /* mc, rdit: with all sources; may be order itself */
	struct dh_causal *causal;
	struct dh_candidates candidates;
	struct dh_refuter refuter;
	struct dh_saturator saturator;
	struct dh_refuter keeping_refuter; /* with reads that keep their sources, where */
	struct dh_saturator keeping;	   /* that is not what they do anyway */
	struct dh_encoder encoder;
	struct dh_solver *solver[2]; /* of the current pair of locations, once needed;
					sparse and dense */
	uint32_t *cut;
	int64_t *place;
	struct dh_witness witness;
	struct dh_checker *checker;	 /* once there was a witness */
	struct dh_vec(struct pair) open; /* left to the solver */
};

static bool has_schedules(const struct judge *j)
{
	return j->config->model >= DH_MODEL_MC;
}

/* ---- a finding ---- */

static void report(struct judge *j, const struct dh_pairing *p, struct pair at,
		   bool unknown)
{
	struct dh_finding f = {
	    .low = p->low,
	    .high = p->high,
	    .unknown = unknown,
	    .first = DH_MIN(at.a, at.b),
	    .second = DH_MAX(at.a, at.b),
	};
	for (size_t i = 0; !unknown && i < j->witness.events.len; i++)
		dh_vec_push(&f.witness, j->witness.events.at[i]);
	dh_vec_push(&j->to->findings, f);
}

/* A schedule counts when the checker has accepted it. */
static bool accept(struct judge *j, const struct dh_pairing *p, struct pair at)
{
	if (!j->checker)
		j->checker = dh_checker_new(j->window, j->config->model == DH_MODEL_RDIT);
	if (!dh_checker_accepts(j->checker, j->witness.events.at, j->witness.events.len,
				NULL, 0)) {
		j->to->counters.rejected++;
		return false;
	}
	report(j, p, at, false);
	return true;
}

/* ---- one pair of accesses ---- */

/* Must a come before b, for b to be next? */
static bool before(const struct judge *j, uint32_t a, uint32_t b)
{
	const struct dh_graph *g = j->graph;
	if (dh_clocks_ready(j->order, b, g->thread[a]) > g->position[a])
		return true;
	return j->causal && dh_causal_before(j->causal, a, b);
}

/* The cheap answers. True: found. */
static bool try_cheap(struct judge *j, const struct dh_pairing *p, struct pair at)
{
	uint32_t a = DH_MIN(at.a, at.b), b = DH_MAX(at.a, at.b);
	if (!has_schedules(j)) {
		report(j, p, at, false);
		return true;
	}
	if (dh_refute(&j->refuter, a, b)) {
		j->to->counters.refuted++;
		return false;
	}
	if (dh_confirm(&j->refuter, a, b)) {
		j->to->counters.confirmed++;
		dh_witness_kept(&j->witness, j->graph, j->refuter.cut, a, b);
		if (accept(j, p, at))
			return true;
	}
	dh_vec_push(&j->open, (struct pair){a, b});
	return false;
}

static bool accept_order(struct judge *j, const struct dh_saturator *s,
			 const struct dh_pairing *p, struct pair at)
{
	j->witness.events.len = 0;
	for (size_t i = 0; i < s->order.len; i++)
		dh_vec_push(&j->witness.events, s->order.at[i]);
	dh_vec_push(&j->witness.events, at.a);
	dh_vec_push(&j->witness.events, at.b);
	return accept(j, p, at);
}

/* Draws conclusions. DH_UNKNOWN: it takes the solver. */
static enum dh_answer try_saturation(struct judge *j, const struct dh_pairing *p,
				     struct pair at)
{
	dh_refute(&j->refuter, at.a, at.b);
	if (j->config->by_solver) {
		dh_saturate_not(&j->saturator, at.a, at.b, j->refuter.cut);
		return DH_UNKNOWN;
	}
	enum dh_saturation s = dh_saturate(&j->saturator, at.a, at.b, j->refuter.cut);
	j->to->counters.saturated += s != DH_SATURATED_OPEN;
	if (s == DH_SATURATED_NO)
		return DH_NO;
	if (s == DH_SATURATED_YES && accept_order(j, &j->saturator, p, at))
		return DH_YES;
	if (j->kept == j->order || dh_refute(&j->keeping_refuter, at.a, at.b))
		return DH_UNKNOWN;
	s = dh_saturate(&j->keeping, at.a, at.b, j->keeping_refuter.cut);
	j->to->counters.saturated += s == DH_SATURATED_YES;
	return s == DH_SATURATED_YES && accept_order(j, &j->keeping, p, at) ? DH_YES
									    : DH_UNKNOWN;
}

static enum dh_answer try_solver(struct judge *j, const struct dh_pairing *p,
				 struct pair at)
{
	uint32_t size = dh_encoder_prepare(&j->encoder, at.a, at.b, &j->saturator);
	bool dense = size <= DENSE_MAX;
	if (!j->solver[dense])
		j->solver[dense] = dh_solver_new(j->config->patience, dense);
	enum dh_answer answer =
	    dh_encoder_ask(&j->encoder, j->solver[dense], j->cut, j->place);
	j->to->counters.questions++;
	j->to->counters.given_up += answer == DH_UNKNOWN;
	if (answer != DH_YES)
		return answer;
	dh_witness_placed(&j->witness, j->graph, j->order, j->cut, j->place, at.a, at.b);
	return accept(j, p, at) ? DH_YES : DH_UNKNOWN;
}

/* ---- one pair of locations ---- */

static uint64_t steps(const struct judge *j)
{
	return j->refuter.steps + j->saturator.steps + j->keeping_refuter.steps +
	       j->keeping.steps;
}

/* The first member of a group from `from` on for which the test, which once true stays
 * so along a thread, is true. */
static uint32_t first_that(const struct judge *j, const struct dh_group *g, uint32_t from,
			   uint32_t a, bool after)
{
	const uint32_t *at = j->candidates.members.at + g->first;
	uint32_t low = from, high = g->count;
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		bool yes = after ? before(j, a, at[middle]) : !before(j, at[middle], a);
		if (yes)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Every access of one group with those of the other that it is not ordered with: they
 * are next to each other. True: found. stop is set when the work became too much. */
static bool cheap_pairs(struct judge *j, const struct dh_pairing *p, uint64_t limit,
			bool *stop)
{
	const struct dh_group *x = &j->candidates.groups.at[p->one];
	const struct dh_group *y = &j->candidates.groups.at[p->other];
	for (uint32_t i = 0; i < x->count; i++) {
		uint32_t a = j->candidates.members.at[x->first + i];
		uint32_t k = first_that(j, y, 0, a, false);
		uint32_t end = first_that(j, y, k, a, true);
		for (; k < end; k++) {
			uint32_t b = j->candidates.members.at[y->first + k];
			if (try_cheap(j, p, (struct pair){a, b}))
				return true;
			if (steps(j) > limit) {
				*stop = true;
				dh_vec_push(&j->open, (struct pair){a, b});
				return false;
			}
		}
	}
	return false;
}

static bool is_weary(const struct judge *j, const struct dh_pairing *p)
{
	const struct dh_judge_config *c = j->config;
	return c->weary && c->weary(c->context, p->low, p->high, j->window->number);
}

/* What the cheap answers left over. */
static void think_hard(struct judge *j, const struct dh_pairing *p, uint64_t limit,
		       bool stop)
{
	struct pair unknown = {DH_NONE, DH_NONE};
	uint32_t given_up = 0, questions = 0;
	for (size_t i = 0; i < j->open.len; i++) {
		if (steps(j) > limit || questions == QUESTIONS_MAX ||
		    given_up == GIVEN_UP_MAX) {
			stop = true;
			break;
		}
		enum dh_answer answer = try_saturation(j, p, j->open.at[i]);
		if (answer == DH_UNKNOWN && is_weary(j, p)) {
			stop = true;
			break;
		}
		if (answer == DH_UNKNOWN) {
			questions++;
			answer = try_solver(j, p, j->open.at[i]);
		}
		if (answer == DH_YES)
			return;
		if (answer == DH_UNKNOWN && given_up++ == 0)
			unknown = j->open.at[i];
	}
	if (given_up || stop)
		report(j, p, given_up ? unknown : j->open.at[0], true);
}

/* The pairings [first, end) are those of one pair of locations. */
static void one_location_pair(struct judge *j, size_t first, size_t end)
{
	const struct dh_pairing *p = j->candidates.pairings.at;
	uint64_t limit = steps(j) + (uint64_t)j->config->patience * STEPS_PER_MS;
	bool found = false, stop = false;
	j->open.len = 0;
	for (size_t i = first; i < end && !found && !stop; i++)
		found = cheap_pairs(j, &p[i], limit, &stop);
	if (!found && j->open.len)
		think_hard(j, &p[first], limit, stop);
	for (int i = 0; i < 2; i++) {
		dh_solver_free(j->solver[i]);
		j->solver[i] = NULL;
	}
}

static void all_location_pairs(struct judge *j)
{
	const struct dh_pairing *p = j->candidates.pairings.at;
	size_t count = j->candidates.pairings.len;
	for (size_t first = 0, end; first < count; first = end) {
		for (end = first + 1; end < count && p[end].low == p[first].low &&
				      p[end].high == p[first].high;)
			end++;
		if (!j->config->known ||
		    !j->config->known(j->config->context, p[first].low, p[first].high,
				      j->window->number))
			one_location_pair(j, first, end);
	}
}

/* ---- a window ---- */

static void make_orders(struct judge *j)
{
	const struct dh_graph *g = j->graph;
	unsigned must = DH_CLOCK_VOLATILE | DH_CLOCK_ALLOC;
	switch (j->config->model) {
	case DH_MODEL_HB:
		j->order = dh_clocks_new(g, DH_CLOCK_LOCKS);
		break;
	case DH_MODEL_CP: {
		struct dh_clocks *strong = dh_clocks_new(g, DH_CLOCK_LOCKS);
		j->causal = dh_causal_new(g, strong);
		dh_clocks_free(strong);
		j->order = dh_clocks_new(g, 0);
		break;
	}
	case DH_MODEL_RDIT:
		must |= DH_CLOCK_METHODS;
		/* fall through */
	case DH_MODEL_MC:
		j->order = dh_clocks_new(g, must | DH_CLOCK_FORCED);
		j->kept =
		    g->all_forced ? j->order : dh_clocks_new(g, must | DH_CLOCK_SOURCES);
	}
}

static bool has_methods(const struct dh_window *w)
{
	for (size_t i = 0; i < w->steps.len; i++)
		if (w->steps.at[i].op == DH_METHOD_BEGIN)
			return true;
	return w->calls.len > 0;
}

/* Orders are made when somebody asks for the first time: in most windows of a trace with
 * locks nobody does. */
static bool comes_before(void *context, uint32_t a, uint32_t b)
{
	struct judge *j = context;
	if (!j->order)
		make_orders(j);
	return before(j, a, b);
}

static void set_up(struct judge *j)
{
	struct dh_candidates_config config = {
	    .protect = has_schedules(j),
	    .merge = j->config->model != DH_MODEL_RDIT || !has_methods(j->window),
	    .before = comes_before,
	    .context = j,
	};
	dh_candidates_find(&j->candidates, j->graph, &config);
	j->to->counters.pairings +=
	    j->candidates.pairings.len + j->candidates.ordered_pairings;
	j->to->counters.protected_ += j->candidates.protected_pairings;
	if (!j->candidates.pairings.len)
		return;
	if (has_schedules(j)) {
		dh_refuter_init(&j->refuter, j->graph, j->order, j->kept);
		dh_saturator_init(&j->saturator, j->graph, j->order, false);
		if (j->kept != j->order) {
			dh_refuter_init(&j->keeping_refuter, j->graph, j->kept, j->kept);
			dh_saturator_init(&j->keeping, j->graph, j->kept, true);
		}
		dh_encoder_init(&j->encoder, j->graph, j->order);
		j->cut = dh_mem_alloc((j->graph->threads + 1) * sizeof *j->cut);
		j->place = dh_mem_alloc((j->graph->events + 1) * sizeof *j->place);
	}
}

static void tear_down(struct judge *j)
{
	if (j->place) {
		dh_refuter_free(&j->refuter);
		dh_saturator_free(&j->saturator);
		if (j->kept != j->order) {
			dh_refuter_free(&j->keeping_refuter);
			dh_saturator_free(&j->keeping);
		}
		dh_encoder_free(&j->encoder);
		dh_mem_free(j->cut, (j->graph->threads + 1) * sizeof *j->cut);
		dh_mem_free(j->place, (j->graph->events + 1) * sizeof *j->place);
	}
	dh_checker_free(j->checker);
	dh_causal_free(j->causal);
	if (j->kept != j->order)
		dh_clocks_free(j->kept);
	dh_clocks_free(j->order);
	dh_candidates_free(&j->candidates);
	dh_graph_free(j->graph);
	dh_vec_free(&j->witness.events);
	dh_vec_free(&j->open);
}

void dh_judge(const struct dh_judge_config *config, const struct dh_window *w,
	      struct dh_verdict *to)
{
	struct judge j = {.config = config, .window = w, .to = to};
	j.graph = dh_graph_new(w);
	set_up(&j);
	if (j.candidates.pairings.len)
		all_location_pairs(&j);
	tear_down(&j);
}

void dh_verdict_free(struct dh_verdict *v)
{
	for (size_t i = 0; i < v->findings.len; i++)
		dh_vec_free(&v->findings.at[i].witness);
	dh_vec_free(&v->findings);
}
