/* SPDX-License-Identifier: MIT */
/*
 * Random small traces (shapes.h): what src/predict finds against brute force
 * (exhaustive.h), for all four models, with values, without, and with some; every witness
 * is put to the checker and to brute force, and so is every mutant of it, where the two
 * must agree. And once more with windows that are smaller than the trace. For every other
 * four traces the solver is asked where conclusions would do.
 *
 *   run_predict [COUNT [SEED]]      COUNT traces (400), from SEED (1) upwards
 *
 * The first failure prints its trace, and the exit status is 1.
 */
#include "exhaustive.h"
#include "predict/check.h"
#include "predict/predict.h"
#include "rng.h"
#include "shapes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void show(const struct trace *t)
{
	for (uint32_t i = 0; i < t->count; i++) {
		struct trace one = {.count = 1};
		one.at[0] = t->at[i];
		if (t->at[i].has_value)
			printf("# event %u has the value %" PRId64 "\n", i,
			       t->at[i].value);
		trace_print(&one, stdout);
	}
}

/* ---- comparing ---- */

struct exam {
	struct facts facts;
	struct pairs want;
	const struct dh_prediction *got;
	char why[240];
	uint64_t witnesses, mutants, mutants_refused, questions, windowed;
};

static dh_location location(const struct trace *t, uint32_t e)
{
	return t->at[e].site ? t->at[e].site : DH_LOCATION_OF_EVENT | e;
}

/* Is this pair of locations among the races reported? */
static bool reported(const struct exam *x, dh_location a, dh_location b)
{
	for (size_t i = 0; i < x->got->races.len; i++) {
		const struct dh_predicted *p = &x->got->races.at[i];
		if (p->low == DH_MIN(a, b) && p->high == DH_MAX(a, b))
			return true;
	}
	return false;
}

static bool same_pairs(struct exam *x)
{
	const struct trace *t = x->facts.t;
	for (uint32_t b = 0; b < t->count; b++)
		for (uint32_t a = 0; a < b; a++)
			if (x->want.at[a][b] &&
			    !reported(x, location(t, a), location(t, b))) {
				snprintf(x->why, sizeof x->why, "misses (%u, %u)", a, b);
				return false;
			}
	for (size_t i = 0; i < x->got->races.len; i++) {
		const struct dh_predicted *p = &x->got->races.at[i];
		if (!x->want.at[p->first.index][p->second.index]) {
			snprintf(x->why, sizeof x->why,
				 "(%" PRIu64 ", %" PRIu64 ") cannot race", p->first.index,
				 p->second.index);
			return false;
		}
	}
	if (x->got->unknown.len || x->got->counters.rejected) {
		snprintf(x->why, sizeof x->why, "%zu unknown, %" PRIu64 " rejected",
			 x->got->unknown.len, x->got->counters.rejected);
		return false;
	}
	return true;
}

/* ---- witnesses ---- */

static struct dh_window *window_of(const struct trace *t)
{
	struct dh_slider s;
	struct dh_window *w = NULL;
	dh_slider_init(&s, SMALL_EVENTS + 1, SMALL_EVENTS + 1);
	for (uint32_t i = 0; i < t->count; i++)
		dh_slider_feed(&s, &t->at[i]);
	w = dh_slider_finish(&s);
	dh_slider_free(&s);
	return w;
}

/* Checker and brute force must be of one mind. */
static bool agree(struct exam *x, struct dh_checker *c, const uint32_t *events,
		  size_t count, bool *fine)
{
	char why[120] = "";
	*fine = dh_checker_accepts(c, events, count, why, sizeof why);
	if (*fine == exhaustive_legal(&x->facts, events, count))
		return true;
	snprintf(x->why, sizeof x->why, "the checker %s a schedule of %zu: %s",
		 *fine ? "accepts" : "refuses", count, why);
	return false;
}

static bool mutate(struct exam *x, struct dh_checker *c, const uint32_t *events, size_t n,
		   struct rng *r)
{
	uint32_t copy[SMALL_EVENTS + 2];
	memcpy(copy, events, n * sizeof *copy);
	size_t i = rng_below(r, (uint32_t)n), k = rng_below(r, (uint32_t)n);
	switch (rng_below(r, 4)) {
	case 0: /* two swapped */
		copy[i] = events[k];
		copy[k] = events[i];
		break;
	case 1: /* one left out */
		memmove(copy + i, copy + i + 1, (n - i - 1) * sizeof *copy);
		n--;
		break;
	case 2: /* one that is another */
		copy[i] = rng_below(r, x->facts.t->count);
		break;
	case 3: /* one moved to the front */
		memmove(copy + 1, copy, i * sizeof *copy);
		copy[0] = events[i];
		break;
	}
	bool fine;
	x->mutants++;
	if (!agree(x, c, copy, n, &fine))
		return false;
	x->mutants_refused += !fine;
	return true;
}

static bool witnesses_hold(struct exam *x, uint64_t seed)
{
	struct rng r = {seed};
	struct dh_window *w = window_of(x->facts.t);
	struct dh_checker *c = dh_checker_new(w, x->facts.methods);
	bool good = true;
	for (size_t i = 0; i < x->got->races.len && good; i++) {
		const struct dh_predicted *p = &x->got->races.at[i];
		bool fine;
		x->witnesses++;
		good = agree(x, c, p->witness.at, p->witness.len, &fine);
		if (good &&
		    (!fine || p->witness.at[p->witness.len - 2] != p->first.index ||
		     p->witness.at[p->witness.len - 1] != p->second.index)) {
			snprintf(x->why, sizeof x->why, "witness %zu is none", i);
			good = false;
		}
		for (int k = 0; k < 12 && good; k++)
			good = mutate(x, c, p->witness.at, p->witness.len, &r);
	}
	dh_checker_free(c);
	dh_window_free(w);
	return good;
}

/* ---- windows ---- */

/* With windows smaller than the trace less is found, but every witness, with all that
 * came before its window, is a schedule of the whole trace. */
static bool windows_hold(struct exam *x, const struct trace *t, enum dh_model model,
			 uint64_t seed)
{
	struct rng r = {seed};
	uint32_t window = rng_range(&r, 2, t->count < 2 ? 2 : t->count);
	struct dh_predict_config config = {
	    .model = model,
	    .window = window,
	    .step = rng_range(&r, 1, window),
	    .patience = 10000,
	    .jobs = 1,
	};
	struct dh_predict *p = dh_predict_new(&config);
	for (uint32_t i = 0; i < t->count; i++)
		dh_predict_feed(p, &t->at[i]);
	dh_predict_finish(p);
	const struct dh_prediction *got = dh_predict_result(p);
	bool good = got->counters.rejected == 0;
	for (size_t i = 0; i < got->races.len && good; i++) {
		const struct dh_predicted *race = &got->races.at[i];
		uint32_t all[SMALL_EVENTS], n = 0;
		for (; n < race->start; n++)
			all[n] = n;
		for (size_t k = 0; k < race->witness.len; k++)
			all[n++] = (uint32_t)race->start + race->witness.at[k];
		good = exhaustive_legal(&x->facts, all, n);
		x->windowed++;
	}
	if (!good)
		snprintf(x->why, sizeof x->why, "windows of %u, step %u: a wrong witness",
			 config.window, config.step);
	dh_predict_free(p);
	return good;
}

/* ---- the whole ---- */

static bool examine(struct exam *x, const struct trace *t, enum dh_model model,
		    uint64_t seed)
{
	struct dh_predict_config config = {
	    .model = model,
	    .window = SMALL_EVENTS + 1,
	    .step = SMALL_EVENTS + 1,
	    .patience = 10000,
	    .jobs = 1,
	    .by_solver = seed / 4 % 2,
	};
	struct dh_predict *p = dh_predict_new(&config);
	for (uint32_t i = 0; i < t->count; i++)
		dh_predict_feed(p, &t->at[i]);
	dh_predict_finish(p);
	x->got = dh_predict_result(p);
	facts_find(&x->facts, t, model == DH_MODEL_RDIT);
	if (model == DH_MODEL_HB)
		naive_hb(&x->facts, &x->want);
	else if (model == DH_MODEL_CP)
		naive_cp(&x->facts, &x->want);
	else
		exhaustive_search(&x->facts, &x->want);
	x->questions += x->got->counters.questions;
	bool good = same_pairs(x);
	if (good && model >= DH_MODEL_MC)
		good = witnesses_hold(x, seed) && windows_hold(x, t, model, seed);
	dh_predict_free(p);
	return good;
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 0) : 400;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	struct exam x = {0};
	static struct trace t;
	uint64_t traces = 0, races[4] = {0};
	for (; traces < count; traces++) {
		shapes_generate(&t, seed + traces);
		shapes_put_values(&t, seed + traces, (uint32_t)((seed + traces) % 4));
		for (int m = DH_MODEL_HB; m <= DH_MODEL_RDIT; m++) {
			if (!examine(&x, &t, (enum dh_model)m, seed + traces)) {
				printf("seed %" PRIu64 ": %s: %s\n", seed + traces,
				       dh_model_text((enum dh_model)m), x.why);
				show(&t);
				return 1;
			}
			for (uint32_t b = 0; b < t.count; b++)
				for (uint32_t a = 0; a < b; a++)
					races[m] += x.want.at[a][b];
		}
	}
	printf("%" PRIu64 " traces; pairs of accesses: hb %" PRIu64 ", cp %" PRIu64
	       ", mc %" PRIu64 ", rdit %" PRIu64 "; %" PRIu64 " witnesses, %" PRIu64
	       " mutants, %" PRIu64 " of them refused; %" PRIu64
	       " questions to the solver; %" PRIu64 " witnesses in small windows\n",
	       traces, races[0], races[1], races[2], races[3], x.witnesses, x.mutants,
	       x.mutants_refused, x.questions, x.windowed);
	return 0;
}
