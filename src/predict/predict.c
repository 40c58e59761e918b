/* SPDX-License-Identifier: MIT */
/* Windows in, findings out; see predict.h. */
#include "predict/predict.h"
#include "predict/far.h"
#include "predict/jobs.h"
#include "predict/table.h"

#include <pthread.h>
#include <stdlib.h>

struct dh_predict {
	struct dh_predict_config config;
	struct dh_judge_config judge;
	struct dh_slider slider;
	struct dh_far *far;
	struct dh_jobs *jobs; /* NULL once finished */
	struct dh_prediction result;
	pthread_mutex_t mutex;
	/* Under the mutex while jobs run: */
	pthread_cond_t moved;	   /* `finished` has grown */
	uint64_t finished;	   /* all windows below it are judged */
	struct dh_map out_of_turn; /* windows above it that are, too */
	struct dh_table found;	   /* -> 1 + place in `all` */
	struct dh_vec(struct dh_predicted) all;
};

const char *dh_model_text(enum dh_model m)
{
	static const char *const texts[] = {"hb", "cp", "mc", "rdit"};
	return texts[m];
}

/* ---- putting findings together ---- */

static struct dh_shown shown(const struct dh_window *w, uint32_t event)
{
	return (struct dh_shown){w->start + event, w->steps.at[event]};
}

static void predicted_free(struct dh_predicted *p)
{
	dh_vec_free(&p->witness);
	dh_vec_free(&p->tail);
}

/* How far the witness goes along with the trace, and its last events to be shown. */
static void keep_tail(struct dh_predicted *p, const struct dh_window *w)
{
	size_t n = p->witness.len, same = 0;
	while (same + 2 < n && p->witness.at[same] == same)
		same++;
	p->agrees = p->start + same;
	for (size_t i = n > DH_PREDICT_SHOWN ? n - DH_PREDICT_SHOWN : 0; i < n; i++)
		dh_vec_push(&p->tail, shown(w, p->witness.at[i]));
}

/* Takes over the finding's witness. */
static struct dh_predicted predicted(const struct dh_window *w, struct dh_finding *f)
{
	struct dh_predicted p = {
	    .low = f->low,
	    .high = f->high,
	    .window = w->number,
	    .unknown = f->unknown,
	    .first = shown(w, f->first),
	    .second = shown(w, f->second),
	    .start = w->start,
	};
	p.witness.at = f->witness.at;
	p.witness.len = f->witness.len;
	p.witness.cap = f->witness.cap;
	f->witness.at = NULL;
	f->witness.len = f->witness.cap = 0;
	keep_tail(&p, w);
	return p;
}

/* A race before a pair that is not known, the first window before later ones. */
static bool better(const struct dh_predicted *a, const struct dh_predicted *b)
{
	return a->unknown != b->unknown ? b->unknown : a->window < b->window;
}

/* Notes that a window gave up. */
static void note_try(struct dh_predicted *p, uint64_t window)
{
	uint64_t mark = window + 1;
	for (int i = 0; i < DH_PREDICT_TRIES; i++) {
		uint64_t here = p->tries[i];
		if (here && here <= mark)
			continue;
		p->tries[i] = mark;
		if (!here)
			return;
		mark = here;
	}
}

static void copy_tries(struct dh_predicted *to, const struct dh_predicted *from)
{
	dh_copy(to->tries, from->tries, sizeof to->tries);
}

static void merge(struct dh_predict *p, const struct dh_window *w, struct dh_finding *f)
{
	bool fresh;
	struct dh_predicted new = predicted(w, f);
	uint64_t *at = dh_table_put(&p->found, f->low, f->high, &fresh);
	if (fresh) {
		if (new.unknown)
			note_try(&new, w->number);
		dh_vec_push(&p->all, new);
		*at = p->all.len;
		return;
	}
	struct dh_predicted *old = &p->all.at[*at - 1];
	if (new.unknown)
		note_try(old, w->number);
	copy_tries(&new, old);
	if (better(&new, old)) {
		predicted_free(old);
		*old = new;
	} else {
		predicted_free(&new);
	}
}

/* ---- jobs ---- */

static bool known(void *context, dh_location low, dh_location high, uint64_t window)
{
	struct dh_predict *p = context;
	pthread_mutex_lock(&p->mutex);
	const uint64_t *at = dh_table_get(&p->found, low, high);
	const struct dh_predicted *f = at ? &p->all.at[*at - 1] : NULL;
	bool yes = f && !f->unknown && f->window < window;
	pthread_mutex_unlock(&p->mutex);
	return yes;
}

/* What windows far enough back gave up on. They have to be judged first, so that the
 * answer does not depend on who was faster. */
static bool weary(void *context, dh_location low, dh_location high, uint64_t window)
{
	struct dh_predict *p = context;
	if (window < DH_PREDICT_LAG)
		return false;
	uint64_t past = window - DH_PREDICT_LAG;
	pthread_mutex_lock(&p->mutex);
	while (p->finished < past)
		pthread_cond_wait(&p->moved, &p->mutex);
	const uint64_t *at = dh_table_get(&p->found, low, high);
	const uint64_t *tries = at ? p->all.at[*at - 1].tries : NULL;
	uint64_t last = tries ? tries[DH_PREDICT_TRIES - 1] : 0;
	bool yes = last && last <= past;
	pthread_mutex_unlock(&p->mutex);
	return yes;
}

/* Under the mutex. */
static void finish_window(struct dh_predict *p, uint64_t window)
{
	dh_map_put(&p->out_of_turn, window, NULL);
	while (dh_map_remove(&p->out_of_turn, p->finished))
		p->finished++;
	pthread_cond_broadcast(&p->moved);
}

static void add_counters(struct dh_judge_counters *to, const struct dh_judge_counters *c)
{
	to->pairings += c->pairings;
	to->protected_ += c->protected_;
	to->refuted += c->refuted;
	to->confirmed += c->confirmed;
	to->saturated += c->saturated;
	to->questions += c->questions;
	to->given_up += c->given_up;
	to->rejected += c->rejected;
}

static void work(void *context, struct dh_window *w)
{
	struct dh_predict *p = context;
	struct dh_verdict verdict = {0};
	dh_judge(&p->judge, w, &verdict);
	pthread_mutex_lock(&p->mutex);
	for (size_t i = 0; i < verdict.findings.len; i++)
		merge(p, w, &verdict.findings.at[i]);
	add_counters(&p->result.counters, &verdict.counters);
	finish_window(p, w->number);
	pthread_mutex_unlock(&p->mutex);
	dh_verdict_free(&verdict);
	dh_window_free(w);
}

/* ---- the whole ---- */

struct dh_predict *dh_predict_new(const struct dh_predict_config *config)
{
	struct dh_predict *p = dh_mem_alloc(sizeof *p);
	p->config = *config;
	p->judge = (struct dh_judge_config){
	    .model = config->model,
	    .patience = config->patience,
	    .by_solver = config->by_solver,
	    .known = known,
	    .weary = weary,
	    .context = p,
	};
	dh_slider_init(&p->slider, config->window, config->step);
	pthread_mutex_init(&p->mutex, NULL);
	pthread_cond_init(&p->moved, NULL);
	p->far = dh_far_new(config->window, config->step, config->model);
	p->jobs = dh_jobs_new(config->jobs, work, p);
	return p;
}

void dh_predict_feed(struct dh_predict *p, const struct dh_event *ev)
{
	struct dh_event seen = *ev;
	if (p->config.model != DH_MODEL_RDIT)
		seen.reach_count = 0; /* nobody asks */
	dh_far_feed(p->far, &seen);
	struct dh_window *w = dh_slider_feed(&p->slider, &seen);
	if (w)
		dh_jobs_add(p->jobs, w);
}

static int by_place(const void *x, const void *y)
{
	const struct dh_predicted *a = x, *b = y;
	if (a->second.index != b->second.index)
		return a->second.index < b->second.index ? -1 : 1;
	return a->first.index < b->first.index ? -1 : a->first.index > b->first.index;
}

void dh_predict_finish(struct dh_predict *p)
{
	struct dh_window *w = dh_slider_finish(&p->slider);
	if (w)
		dh_jobs_add(p->jobs, w);
	dh_jobs_free(p->jobs);
	p->jobs = NULL;
	if (p->all.len)
		qsort(p->all.at, p->all.len, sizeof *p->all.at, by_place);
	for (size_t i = 0; i < p->all.len; i++) {
		if (p->all.at[i].unknown)
			dh_vec_push(&p->result.unknown, p->all.at[i]);
		else
			dh_vec_push(&p->result.races, p->all.at[i]);
	}
	p->result.events = p->slider.events;
	p->result.windows = p->slider.windows;
	p->result.far_pairs = dh_far_count(p->far, &p->found);
}

const struct dh_prediction *dh_predict_result(const struct dh_predict *p)
{
	return &p->result;
}

void dh_predict_free(struct dh_predict *p)
{
	if (p->jobs)
		dh_jobs_free(p->jobs);
	for (size_t i = 0; i < p->all.len; i++)
		predicted_free(&p->all.at[i]);
	dh_vec_free(&p->all);
	dh_vec_free(&p->result.races);
	dh_vec_free(&p->result.unknown);
	dh_table_free(&p->found);
	dh_slider_free(&p->slider);
	dh_far_free(p->far);
	pthread_mutex_destroy(&p->mutex);
	pthread_cond_destroy(&p->moved);
	dh_map_free(&p->out_of_turn);
	dh_mem_free(p, sizeof *p);
}
