/* SPDX-License-Identifier: MIT */
/* The replay of check.h. Plain and slow on purpose: this is what the rest is held to. */
#include "predict/check.h"

#include <stdarg.h>
#include <stdio.h>

/* Calls that a thread is in, by the set that each reaches, the innermost last. */
struct open_calls dh_vec(uint32_t);

/* Events in the order of the trace; all before the place `done` are done. */
struct roll {
	struct dh_vec(uint32_t) events;
	size_t done;
};

struct dh_checker {
	const struct dh_window *w;
	bool *done;	      /* by event */
	struct dh_map next;   /* thread -> its first event that is not done */
	bool *begins;	      /* by event: it is the first one of its thread */
	uint32_t *following;  /* by event: the next one of its thread, or the count */
	struct dh_map memory; /* variable and life -> last write, index + 1 */
	struct dh_map cells;  /* variable and life -> its first access + 1 */
	uint32_t *beside;     /* by access: the next one of its cell, or the count */
	struct dh_vec(struct dh_window_lock) held;
	/* Calls: for each event the classes of variables that those around it reach, and
	 * for each class the events of calls that reach it, and the accesses to it. */
	uint32_t *reach_at, *reach_count;
	struct dh_vec(uint32_t) reach;
	struct dh_map roll_of; /* class and kind -> number + 1 */
	struct dh_vec(struct roll) rolls;
	char *why;
	size_t size;
};

static bool wrong(struct dh_checker *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool wrong(struct dh_checker *r, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	if (r->why)
		vsnprintf(r->why, r->size, format, list);
	va_end(list);
	return false;
}

static const struct dh_step *step(const struct dh_checker *r, uint32_t e)
{
	return &r->w->steps.at[e];
}

static uint32_t count_of(const struct dh_checker *r)
{
	return (uint32_t)r->w->steps.len;
}

/* ---- threads ---- */

static bool in_program_order(struct dh_checker *r, uint32_t e)
{
	const uint64_t *next = dh_map_get(&r->next, step(r, e)->thread);
	if (!next || *next != e)
		return wrong(r, "event %u is not the next one of its thread", e);
	return true;
}

/* A fork of the event's thread, or all events of the thread that it joins. */
static bool threads_agree(struct dh_checker *r, uint32_t e)
{
	const struct dh_step *s = step(r, e);
	if (s->op != DH_JOIN && !r->begins[e])
		return true;
	for (uint32_t i = 0; i < count_of(r); i++) {
		const struct dh_step *o = step(r, i);
		bool joined = s->op == DH_JOIN &&
			      (o->thread == s->target ||
			       (o->op == DH_FORK && o->target == s->target && i < e));
		bool forks = o->op == DH_FORK && o->target == s->thread;
		if (forks && !r->done[i])
			return wrong(r, "event %u is of a thread not yet forked", e);
		if (joined && !r->done[i])
			return wrong(r, "event %u joins a thread that has not ended", e);
	}
	return true;
}

/* ---- what keeps its order with an earlier event of the trace ---- */

static bool same_life(const struct dh_step *a, const struct dh_step *b)
{
	return a->target == b->target && a->life == b->life;
}

static bool is_volatile(const struct dh_step *s)
{
	return s->op == DH_VOLATILE_READ || s->op == DH_VOLATILE_WRITE;
}

/* Must o, earlier in the trace, come before s? */
static bool keeps_order(const struct dh_step *o, const struct dh_step *s)
{
	if (s->op == DH_RECEIVE)
		return o->op == DH_SEND && o->target == s->target;
	if (s->op == DH_BARRIER_LEAVE)
		return o->op == DH_BARRIER_ENTER && same_life(o, s);
	if (is_volatile(s) && is_volatile(o) && o->target == s->target)
		return o->op == DH_VOLATILE_WRITE || s->op == DH_VOLATILE_WRITE;
	if (dh_op_is_access(s->op))
		return o->op == DH_ALLOC && same_life(o, s);
	return false;
}

enum { OF_CALLS, OF_ACCESSES };

/* All events of the roll before e have to be done. */
static bool roll_is_done(struct dh_checker *r, uint32_t class, int kind, uint32_t e)
{
	const uint64_t *number = dh_map_get(&r->roll_of, (uint64_t) class << 1 | kind);
	if (!number)
		return true;
	struct roll *l = &r->rolls.at[*number - 1];
	while (l->done < l->events.len && r->done[l->events.at[l->done]])
		l->done++;
	if (l->done == l->events.len || l->events.at[l->done] >= e)
		return true;
	return wrong(r, "event %u passes a call, event %u", e, l->events.at[l->done]);
}

/* The rules about calls. */
static bool calls_agree(struct dh_checker *r, uint32_t e)
{
	const struct dh_step *s = step(r, e);
	if (dh_op_is_access(s->op) && s->reach && !roll_is_done(r, s->reach, OF_CALLS, e))
		return false;
	for (uint32_t i = 0; i < r->reach_count[e]; i++) {
		uint32_t class = r->reach.at[r->reach_at[e] + i];
		if (!roll_is_done(r, class, OF_CALLS, e) ||
		    !roll_is_done(r, class, OF_ACCESSES, e))
			return false;
	}
	return true;
}

/* Is there a rule about earlier events of some kind at all? */
static bool has_rule(const struct dh_step *s)
{
	return s->op == DH_RECEIVE || s->op == DH_BARRIER_LEAVE || is_volatile(s) ||
	       (dh_op_is_access(s->op) && s->life);
}

static bool order_is_kept(struct dh_checker *r, uint32_t e)
{
	for (uint32_t o = 0; has_rule(step(r, e)) && o < e; o++)
		if (!r->done[o] && keeps_order(step(r, o), step(r, e)))
			return wrong(r, "event %u comes before event %u", e, o);
	return calls_agree(r, e);
}

/* ---- locks ---- */

static bool take_lock(struct dh_checker *r, uint32_t e, bool write)
{
	const struct dh_step *s = step(r, e);
	for (size_t i = 0; i < r->held.len; i++) {
		const struct dh_window_lock *h = &r->held.at[i];
		if (h->lock == s->target && h->thread != s->thread && (h->write || write))
			return wrong(r, "event %u takes a lock that another holds", e);
	}
	dh_vec_push(&r->held, (struct dh_window_lock){s->thread, s->target, write});
	return true;
}

static bool drop_lock(struct dh_checker *r, uint32_t e, bool write)
{
	const struct dh_step *s = step(r, e);
	for (size_t i = 0; i < r->held.len; i++) {
		const struct dh_window_lock *h = &r->held.at[i];
		if (h->lock == s->target && h->thread == s->thread && h->write == write) {
			r->held.at[i] = dh_vec_pop(&r->held);
			return true;
		}
	}
	return wrong(r, "event %u releases a lock that it does not hold", e);
}

static bool locks_agree(struct dh_checker *r, uint32_t e)
{
	const struct dh_step *s = step(r, e);
	if (s->nested)
		return true;
	switch (s->op) {
	case DH_ACQUIRE:
		return take_lock(r, e, true);
	case DH_READ_ACQUIRE:
		return take_lock(r, e, false);
	case DH_RELEASE:
		return drop_lock(r, e, true);
	case DH_READ_RELEASE:
		return drop_lock(r, e, false);
	}
	return true;
}

/* ---- memory ---- */

static uint64_t cell(const struct dh_step *s)
{
	return (uint64_t)s->target << 32 | s->life;
}

/* The first access of the window to the same cell. */
static uint32_t first_of_cell(const struct dh_checker *r, const struct dh_step *s)
{
	return (uint32_t)*dh_map_get(&r->cells, cell(s)) - 1;
}

/* What is in memory before the window is what its first access says. */
static uint64_t write_before_window(const struct dh_checker *r, const struct dh_step *s)
{
	const struct dh_step *o = step(r, first_of_cell(r, s));
	return o->from < r->w->start ? o->from + 1 : 0;
}

/* The value of a write, inside the window or before it. */
static bool value_of(const struct dh_checker *r, const struct dh_step *s, uint64_t write,
		     int64_t *value)
{
	if (write >= r->w->start) {
		const struct dh_step *o = &r->w->steps.at[write - r->w->start];
		*value = o->value;
		return o->has_value;
	}
	const struct dh_step *o = step(r, first_of_cell(r, s));
	*value = o->from_value;
	return o->from == write && o->from_has_value;
}

/* A value that the write before it in the trace does not have came from elsewhere. */
static bool explained(const struct dh_step *s)
{
	return !s->from_has_value || s->from_value == s->value;
}

static bool initial_is_kept(struct dh_checker *r, uint32_t e)
{
	const struct dh_step *s = step(r, e);
	for (uint32_t i = first_of_cell(r, s); i < count_of(r); i = r->beside[i]) {
		const struct dh_step *o = step(r, i);
		if (!r->done[i] || o->op != DH_WRITE)
			continue;
		if (!s->has_value || !o->has_value || o->value != s->value)
			return wrong(r, "event %u no longer reads the initial value", e);
	}
	return true;
}

static bool read_agrees(struct dh_checker *r, uint32_t e)
{
	const struct dh_step *s = step(r, e);
	const uint64_t *last = dh_map_get(&r->memory, cell(s));
	uint64_t write = last ? *last : write_before_window(r, s);
	int64_t value;
	if (s->from == DH_NO_EVENT)
		return initial_is_kept(r, e);
	if (write == s->from + 1)
		return true;
	if (write && s->has_value && explained(s) && value_of(r, s, write - 1, &value) &&
	    value == s->value)
		return true;
	return wrong(r, "event %u reads another value", e);
}

/* ---- the replay ---- */

static bool ready(struct dh_checker *r, uint32_t e)
{
	return in_program_order(r, e) && threads_agree(r, e) && order_is_kept(r, e);
}

static bool take(struct dh_checker *r, uint32_t e)
{
	const struct dh_step *s = step(r, e);
	if (!ready(r, e) || !locks_agree(r, e))
		return false;
	if (s->op == DH_READ && !read_agrees(r, e))
		return false;
	if (s->op == DH_WRITE)
		*dh_map_put(&r->memory, cell(s), NULL) = r->w->start + e + 1;
	r->done[e] = true;
	*dh_map_put(&r->next, s->thread, NULL) = r->following[e];
	return true;
}

static bool race(struct dh_checker *r, uint32_t a, uint32_t b)
{
	const struct dh_step *x = step(r, a), *y = step(r, b);
	if (!dh_op_is_access(x->op) || !dh_op_is_access(y->op) || !same_life(x, y) ||
	    x->thread == y->thread || (x->op == DH_READ && y->op == DH_READ))
		return wrong(r, "events %u and %u do not conflict", a, b);
	return ready(r, a) && ready(r, b);
}

/* ---- setting up ---- */

static void lay_out(struct dh_checker *r)
{
	uint32_t n = count_of(r);
	for (uint32_t e = n; e-- > 0;) {
		bool fresh;
		uint64_t *next = dh_map_put(&r->next, step(r, e)->thread, &fresh);
		r->following[e] = fresh ? n : (uint32_t)*next;
		*next = e;
	}
	for (uint32_t e = n; e-- > 0;) {
		if (!dh_op_is_access(step(r, e)->op))
			continue;
		uint64_t *first = dh_map_put(&r->cells, cell(step(r, e)), NULL);
		r->beside[e] = *first ? (uint32_t)*first - 1 : n;
		*first = e + 1;
	}
	for (uint32_t e = 0; e < n; e++)
		r->begins[e] = *dh_map_get(&r->next, step(r, e)->thread) == e;
}

/* Nothing is done. */
static void start_over(struct dh_checker *r)
{
	dh_zero(r->done, count_of(r));
	for (uint32_t e = 0; e < count_of(r); e++)
		if (r->begins[e])
			*dh_map_put(&r->next, step(r, e)->thread, NULL) = e;
	dh_map_free(&r->memory);
	r->held.len = 0;
	for (size_t i = 0; i < r->w->held.len; i++)
		dh_vec_push(&r->held, r->w->held.at[i]);
	for (size_t i = 0; i < r->rolls.len; i++)
		r->rolls.at[i].done = 0;
}

/* Lists what the open calls reach; where in r->reach. */
static uint32_t list_reach(struct dh_checker *r, const struct open_calls *open)
{
	uint32_t at = (uint32_t)r->reach.len;
	for (size_t i = 0; i < open->len; i++) {
		uint32_t set = open->at[i];
		for (uint32_t k = 0; set && k < r->w->sets.at[set].count; k++)
			dh_vec_push(&r->reach, r->w->reach.at[r->w->sets.at[set].at + k]);
	}
	return at;
}

/* For each event of a thread, from its first on, what the calls around it reach. */
static void find_reach_of_thread(struct dh_checker *r, uint32_t first)
{
	struct open_calls open = {0};
	uint32_t at = 0, count = 0;
	bool changed = true;
	for (size_t i = 0; i < r->w->calls.len; i++)
		if (r->w->calls.at[i].thread == step(r, first)->thread)
			dh_vec_push(&open, r->w->calls.at[i].reach);
	for (uint32_t e = first; e < count_of(r); e = r->following[e]) {
		const struct dh_step *s = step(r, e);
		if (s->op == DH_METHOD_BEGIN) {
			dh_vec_push(&open, s->reach);
			changed = true;
		}
		if (changed) {
			at = list_reach(r, &open);
			count = (uint32_t)r->reach.len - at;
		}
		r->reach_at[e] = at;
		r->reach_count[e] = count;
		changed = s->op == DH_METHOD_END && open.len;
		if (changed)
			open.len--;
	}
	dh_vec_free(&open);
}

static void enrol(struct dh_checker *r, uint32_t class, int kind, uint32_t e)
{
	uint64_t *number = dh_map_put(&r->roll_of, (uint64_t) class << 1 | kind, NULL);
	if (!*number) {
		dh_vec_push(&r->rolls, (struct roll){0});
		*number = r->rolls.len;
	}
	dh_vec_push(&r->rolls.at[*number - 1].events, e);
}

static void find_reach(struct dh_checker *r)
{
	for (uint32_t e = 0; e < count_of(r); e++)
		if (r->begins[e])
			find_reach_of_thread(r, e);
	for (uint32_t e = 0; e < count_of(r); e++) {
		const struct dh_step *s = step(r, e);
		if (dh_op_is_access(s->op) && s->reach)
			enrol(r, s->reach, OF_ACCESSES, e);
		for (uint32_t i = 0; i < r->reach_count[e]; i++)
			enrol(r, r->reach.at[r->reach_at[e] + i], OF_CALLS, e);
	}
}

static void free_rolls(struct dh_checker *r)
{
	for (size_t i = 0; i < r->rolls.len; i++)
		dh_vec_free(&r->rolls.at[i].events);
	dh_vec_free(&r->rolls);
	dh_map_free(&r->roll_of);
}

struct dh_checker *dh_checker_new(const struct dh_window *w, bool methods)
{
	struct dh_checker *r = dh_mem_alloc(sizeof *r);
	size_t n = w->steps.len + 1;
	r->w = w;
	r->done = dh_mem_alloc(n);
	r->begins = dh_mem_alloc(n);
	r->following = dh_mem_alloc(n * sizeof *r->following);
	r->beside = dh_mem_alloc(n * sizeof *r->beside);
	r->reach_at = dh_mem_alloc(n * sizeof *r->reach_at);
	r->reach_count = dh_mem_alloc(n * sizeof *r->reach_count);
	lay_out(r);
	if (methods && w->reach.len)
		find_reach(r);
	return r;
}

void dh_checker_free(struct dh_checker *r)
{
	if (!r)
		return;
	size_t n = r->w->steps.len + 1;
	dh_mem_free(r->done, n);
	dh_mem_free(r->begins, n);
	dh_mem_free(r->following, n * sizeof *r->following);
	dh_mem_free(r->beside, n * sizeof *r->beside);
	dh_mem_free(r->reach_at, n * sizeof *r->reach_at);
	dh_mem_free(r->reach_count, n * sizeof *r->reach_count);
	dh_map_free(&r->next);
	dh_map_free(&r->memory);
	dh_map_free(&r->cells);
	dh_vec_free(&r->held);
	dh_vec_free(&r->reach);
	free_rolls(r);
	dh_mem_free(r, sizeof *r);
}

bool dh_checker_accepts(struct dh_checker *r, const uint32_t *events, size_t count,
			char *why, size_t size)
{
	r->why = why;
	r->size = size;
	start_over(r);
	bool fine = count >= 2 || wrong(r, "fewer than two events");
	for (size_t i = 0; i < count && fine; i++)
		fine = events[i] < count_of(r) || wrong(r, "no event %u", events[i]);
	for (size_t i = 0; i + 2 < count && fine; i++)
		fine = take(r, events[i]);
	return fine && race(r, events[count - 2], events[count - 1]);
}
