/* SPDX-License-Identifier: MIT */
/* The slider of window.h: notes what the trace says about each event as it comes, and
 * moves the start of the window on, keeping what is open there. */
#include "predict/window.h"

void dh_window_free(struct dh_window *w)
{
	if (!w)
		return;
	dh_vec_free(&w->steps);
	dh_vec_free(&w->sets);
	dh_vec_free(&w->reach);
	dh_vec_free(&w->held);
	dh_vec_free(&w->calls);
	dh_mem_free(w, sizeof *w);
}

void dh_slider_init(struct dh_slider *s, uint32_t size, uint32_t step)
{
	*s = (struct dh_slider){.size = size, .step = step};
}

void dh_slider_free(struct dh_slider *s)
{
	dh_vec_free(&s->steps);
	dh_reach_free(&s->reach);
	dh_vec_free(&s->held);
	dh_vec_free(&s->calls);
	dh_vec_free(&s->vars);
	dh_vec_free(&s->barriers);
	dh_map_free(&s->inside);
}

/* ---- notes about an event ---- */

static void note_access(struct dh_slider *s, struct dh_step *e, uint64_t index)
{
	dh_vec_grow(&s->vars, (size_t)e->target + 1);
	struct dh_slider_var *v = &s->vars.at[e->target];
	e->life = v->life;
	e->from = v->write ? v->write - 1 : DH_NO_EVENT;
	e->from_value = v->value;
	e->from_has_value = v->has_value;
	if (e->op != DH_WRITE)
		return;
	v->write = index + 1;
	v->value = e->value;
	v->has_value = e->has_value;
}

static void note_alloc(struct dh_slider *s, struct dh_step *e)
{
	dh_vec_grow(&s->vars, (size_t)e->target + 1);
	struct dh_slider_var *v = &s->vars.at[e->target];
	*v = (struct dh_slider_var){.life = v->life + 1};
	e->life = v->life;
}

/* A leave belongs to the episode that its thread entered, or to the current one where it
 * entered none; the first leave closes an episode. */
static void note_barrier(struct dh_slider *s, struct dh_step *e)
{
	dh_vec_grow(&s->barriers, (size_t)e->target + 1);
	struct dh_slider_barrier *b = &s->barriers.at[e->target];
	uint64_t key = (uint64_t)e->target << 32 | e->thread;
	if (e->op == DH_BARRIER_ENTER) {
		if (b->left)
			*b = (struct dh_slider_barrier){.episode = b->episode + 1};
		e->life = b->episode;
		*dh_map_put(&s->inside, key, NULL) = b->episode;
		return;
	}
	const uint64_t *in = dh_map_get(&s->inside, key);
	e->life = in ? (uint32_t)*in : b->episode;
	if (in)
		dh_map_remove(&s->inside, key);
	if (e->life == b->episode)
		b->left = true;
}

static void note(struct dh_slider *s, struct dh_step *e, uint64_t index)
{
	if (dh_op_is_access(e->op))
		note_access(s, e, index);
	else if (e->op == DH_ALLOC)
		note_alloc(s, e);
	else if (e->op == DH_BARRIER_ENTER || e->op == DH_BARRIER_LEAVE)
		note_barrier(s, e);
}

/* ---- handing out ---- */

static void tell_reach(struct dh_slider *s, struct dh_window *w)
{
	dh_reach_tidy(&s->reach);
	dh_reach_tell(&s->reach, &w->sets, &w->reach);
	if (!w->reach.len)
		return;
	for (size_t i = 0; i < w->steps.len; i++) {
		struct dh_step *e = &w->steps.at[i];
		if (dh_op_is_access(e->op))
			e->reach = dh_reach_class(&s->reach, e->target);
	}
}

static struct dh_window *hand_out(struct dh_slider *s)
{
	struct dh_window *w = dh_mem_alloc(sizeof *w);
	w->number = s->windows++;
	w->start = s->start;
	dh_vec_grow(&w->steps, s->steps.len);
	dh_copy(w->steps.at, s->steps.at, s->steps.len * sizeof *s->steps.at);
	for (size_t i = 0; i < s->held.len; i++)
		dh_vec_push(&w->held, s->held.at[i]);
	for (size_t i = 0; i < s->calls.len; i++)
		dh_vec_push(&w->calls, s->calls.at[i]);
	tell_reach(s, w);
	s->covered = s->start + s->steps.len;
	return w;
}

/* ---- moving on ---- */

static void drop_lock(struct dh_slider *s, const struct dh_step *e)
{
	bool write = e->op == DH_RELEASE;
	for (size_t i = 0; i < s->held.len; i++) {
		const struct dh_window_lock *h = &s->held.at[i];
		if (h->thread == e->thread && h->lock == e->target && h->write == write) {
			s->held.at[i] = dh_vec_pop(&s->held);
			return;
		}
	}
}

/* The innermost call of the thread; the others keep their order. */
static void close_call(struct dh_slider *s, uint32_t thread)
{
	size_t i = s->calls.len;
	while (i > 0 && s->calls.at[i - 1].thread != thread)
		i--;
	if (i == 0)
		return;
	dh_reach_drop(&s->reach, s->calls.at[i - 1].reach);
	for (; i < s->calls.len; i++)
		s->calls.at[i - 1] = s->calls.at[i];
	s->calls.len--;
}

/* The event leaves the window at its start. */
static void pass(struct dh_slider *s, const struct dh_step *e)
{
	switch (e->op) {
	case DH_ACQUIRE:
	case DH_READ_ACQUIRE:
		if (!e->nested)
			dh_vec_push(&s->held,
				    (struct dh_window_lock){e->thread, e->target,
							    e->op == DH_ACQUIRE});
		break;
	case DH_RELEASE:
	case DH_READ_RELEASE:
		if (!e->nested)
			drop_lock(s, e);
		break;
	case DH_METHOD_BEGIN:
		dh_vec_push(&s->calls, (struct dh_window_call){e->thread, e->reach});
		break;
	case DH_METHOD_END:
		close_call(s, e->thread);
		break;
	}
}

static void move_on(struct dh_slider *s)
{
	uint32_t kept = 0, count = (uint32_t)s->steps.len;
	for (uint32_t i = 0; i < s->step; i++)
		pass(s, &s->steps.at[i]);
	for (uint32_t i = s->step; i < count; i++)
		s->steps.at[kept++] = s->steps.at[i];
	s->steps.len = kept;
	s->start += s->step;
}

struct dh_window *dh_slider_feed(struct dh_slider *s, const struct dh_event *ev)
{
	if (s->steps.len == s->size)
		move_on(s);
	struct dh_step e = {
	    .thread = ev->thread,
	    .target = ev->target,
	    .site = ev->site,
	    .op = ev->op,
	    .nested = ev->nested,
	    .has_value = ev->has_value,
	    .value = ev->value,
	    .from = DH_NO_EVENT,
	};
	if (ev->op == DH_METHOD_BEGIN)
		e.reach = dh_reach_use(&s->reach, ev->reach, ev->reach_count);
	note(s, &e, s->events++);
	dh_vec_push(&s->steps, e);
	return s->steps.len == s->size ? hand_out(s) : NULL;
}

struct dh_window *dh_slider_finish(struct dh_slider *s)
{
	return s->covered < s->events ? hand_out(s) : NULL;
}
