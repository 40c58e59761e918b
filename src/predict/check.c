/* SPDX-License-Identifier: MIT */
/* The replay of check.h. Plain and slow on purpose: this is what the rest is held to. */
#include "predict/check.h"

#include <stdarg.h>
#include <stdio.h>

struct replay {
	const struct dh_window *w;
	bool methods;
	bool *done;	      /* by event */
	struct dh_map next;   /* thread -> its first event that is not done */
	bool *begins;	      /* by event: it is the first one of its thread */
	uint32_t *following;  /* by event: the next one of its thread, or the count */
	struct dh_map memory; /* variable and life -> last write, index + 1 */
	struct dh_vec(struct dh_window_lock) held;
	/* Calls: for each event the classes of variables that those around it reach. */
	uint32_t *reach_at, *reach_count;
	struct dh_vec(uint32_t) reach;
	char *why;
	size_t size;
};

static bool wrong(struct replay *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool wrong(struct replay *r, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	if (r->why)
		vsnprintf(r->why, r->size, format, list);
	va_end(list);
	return false;
}

static const struct dh_step *step(const struct replay *r, uint32_t e)
{
	return &r->w->steps.at[e];
}

static uint32_t count_of(const struct replay *r)
{
	return (uint32_t)r->w->steps.len;
}

/* ---- threads ---- */

static bool in_program_order(struct replay *r, uint32_t e)
{
	const uint64_t *next = dh_map_get(&r->next, step(r, e)->thread);
	if (!next || *next != e)
		return wrong(r, "event %u is not the next one of its thread", e);
	return true;
}

/* A fork of the event's thread, or all events of the thread that it joins. */
static bool threads_agree(struct replay *r, uint32_t e)
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

static bool reaches(const struct replay *r, uint32_t e, uint32_t class)
{
	for (uint32_t i = 0; i < r->reach_count[e]; i++)
		if (r->reach.at[r->reach_at[e] + i] == class)
			return true;
	return false;
}

/* The same by the rules about calls. */
static bool calls_keep_order(const struct replay *r, uint32_t o, uint32_t e)
{
	const struct dh_step *x = step(r, o), *y = step(r, e);
	if (dh_op_is_access(x->op) && reaches(r, e, x->reach))
		return true;
	if (dh_op_is_access(y->op) && reaches(r, o, y->reach))
		return true;
	for (uint32_t i = 0; i < r->reach_count[o]; i++)
		if (reaches(r, e, r->reach.at[r->reach_at[o] + i]))
			return true;
	return false;
}

/* Is there a rule about events of this kind at all? */
static bool has_rule(const struct replay *r, const struct dh_step *s)
{
	return r->reach.len || s->op == DH_RECEIVE || s->op == DH_BARRIER_LEAVE ||
	       is_volatile(s) || (dh_op_is_access(s->op) && s->life);
}

static bool order_is_kept(struct replay *r, uint32_t e)
{
	if (!has_rule(r, step(r, e)))
		return true;
	for (uint32_t o = 0; o < e; o++) {
		if (r->done[o])
			continue;
		if (keeps_order(step(r, o), step(r, e)))
			return wrong(r, "event %u comes before event %u", e, o);
		if (r->methods && calls_keep_order(r, o, e))
			return wrong(r, "event %u passes a call, event %u", e, o);
	}
	return true;
}

/* ---- locks ---- */

static bool take_lock(struct replay *r, uint32_t e, bool write)
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

static bool drop_lock(struct replay *r, uint32_t e, bool write)
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

static bool locks_agree(struct replay *r, uint32_t e)
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

/* What is in memory before the window is what its first access says. */
static uint64_t write_before_window(const struct replay *r, const struct dh_step *s)
{
	for (uint32_t i = 0; i < count_of(r); i++) {
		const struct dh_step *o = step(r, i);
		if (dh_op_is_access(o->op) && same_life(o, s))
			return o->from < r->w->start ? o->from + 1 : 0;
	}
	return 0;
}

/* The value of a write, inside the window or before it. */
static bool value_of(const struct replay *r, const struct dh_step *s, uint64_t write,
		     int64_t *value)
{
	if (write >= r->w->start) {
		const struct dh_step *o = &r->w->steps.at[write - r->w->start];
		*value = o->value;
		return o->has_value;
	}
	for (uint32_t i = 0; i < count_of(r); i++) {
		const struct dh_step *o = step(r, i);
		if (!dh_op_is_access(o->op) || !same_life(o, s) || o->from != write)
			continue;
		*value = o->from_value;
		return o->from_has_value;
	}
	return false;
}

/* A value that the write before it in the trace does not have came from elsewhere. */
static bool explained(const struct dh_step *s)
{
	return !s->from_has_value || s->from_value == s->value;
}

static bool initial_is_kept(struct replay *r, uint32_t e)
{
	const struct dh_step *s = step(r, e);
	for (uint32_t i = 0; i < count_of(r); i++) {
		const struct dh_step *o = step(r, i);
		if (!r->done[i] || o->op != DH_WRITE || !same_life(o, s))
			continue;
		if (!s->has_value || !o->has_value || o->value != s->value)
			return wrong(r, "event %u no longer reads the initial value", e);
	}
	return true;
}

static bool read_agrees(struct replay *r, uint32_t e)
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

static bool ready(struct replay *r, uint32_t e)
{
	return in_program_order(r, e) && threads_agree(r, e) && order_is_kept(r, e);
}

static bool take(struct replay *r, uint32_t e)
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

static bool race(struct replay *r, uint32_t a, uint32_t b)
{
	const struct dh_step *x = step(r, a), *y = step(r, b);
	if (!dh_op_is_access(x->op) || !dh_op_is_access(y->op) || !same_life(x, y) ||
	    x->thread == y->thread || (x->op == DH_READ && y->op == DH_READ))
		return wrong(r, "events %u and %u do not conflict", a, b);
	return ready(r, a) && ready(r, b);
}

/* ---- setting up ---- */

static void lay_out(struct replay *r)
{
	uint32_t n = count_of(r);
	for (uint32_t e = n; e-- > 0;) {
		bool fresh;
		uint64_t *next = dh_map_put(&r->next, step(r, e)->thread, &fresh);
		r->following[e] = fresh ? n : (uint32_t)*next;
		*next = e;
	}
	for (uint32_t e = 0; e < n; e++)
		r->begins[e] = *dh_map_get(&r->next, step(r, e)->thread) == e;
	for (size_t i = 0; i < r->w->held.len; i++)
		dh_vec_push(&r->held, r->w->held.at[i]);
}

static void copy_reach(struct replay *r, uint32_t set)
{
	for (uint32_t i = 0; set && i < r->w->sets.at[set].count; i++)
		dh_vec_push(&r->reach, r->w->reach.at[r->w->sets.at[set].at + i]);
}

/* For each event what the calls around it reach, by going back over its thread. */
static void find_reach(struct replay *r)
{
	for (uint32_t e = 0; e < count_of(r); e++) {
		int64_t depth = 0; /* calls that ended between here and e */
		r->reach_at[e] = (uint32_t)r->reach.len;
		for (uint32_t i = e + 1; i-- > 0;) {
			const struct dh_step *s = step(r, i);
			if (s->thread != step(r, e)->thread)
				continue;
			depth += s->op == DH_METHOD_END && i != e;
			if (s->op == DH_METHOD_BEGIN && depth-- <= 0) {
				depth = 0;
				copy_reach(r, s->reach);
			}
		}
		for (size_t i = r->w->calls.len; i-- > 0;) {
			const struct dh_window_call *c = &r->w->calls.at[i];
			if (c->thread == step(r, e)->thread && depth-- <= 0) {
				depth = 0;
				copy_reach(r, c->reach);
			}
		}
		r->reach_count[e] = (uint32_t)r->reach.len - r->reach_at[e];
	}
}

bool dh_schedule_check(const struct dh_window *w, bool methods, const uint32_t *events,
		       size_t count, char *why, size_t size)
{
	struct replay r = {.w = w, .methods = methods, .why = why, .size = size};
	size_t n = w->steps.len + 1;
	r.done = dh_mem_alloc(n);
	r.begins = dh_mem_alloc(n);
	r.following = dh_mem_alloc(n * sizeof *r.following);
	r.reach_at = dh_mem_alloc(n * sizeof *r.reach_at);
	r.reach_count = dh_mem_alloc(n * sizeof *r.reach_count);
	lay_out(&r);
	if (methods && w->reach.len)
		find_reach(&r);
	bool fine = count >= 2 || wrong(&r, "fewer than two events");
	for (size_t i = 0; i < count && fine; i++)
		fine = events[i] < w->steps.len || wrong(&r, "no event %u", events[i]);
	for (size_t i = 0; i + 2 < count && fine; i++)
		fine = take(&r, events[i]);
	fine = fine && race(&r, events[count - 2], events[count - 1]);
	dh_mem_free(r.done, n);
	dh_mem_free(r.begins, n);
	dh_mem_free(r.following, n * sizeof *r.following);
	dh_mem_free(r.reach_at, n * sizeof *r.reach_at);
	dh_mem_free(r.reach_count, n * sizeof *r.reach_count);
	dh_map_free(&r.next);
	dh_map_free(&r.memory);
	dh_vec_free(&r.held);
	dh_vec_free(&r.reach);
	return fine;
}
