/* SPDX-License-Identifier: MIT */
/* See calls.h, and missing.h for the annotations. */
#include "runtime/missing/calls.h"
#include "base/map.h"
#include "runtime/missing/missing.h"
#include "runtime/missing/objects.h"
#include "runtime/missing/plt.h"
#include "runtime/observer.h"

enum { ARGUMENTS = 6, LEFT_LEAST = 64 };

static uint64_t told; /* atomic */

uint64_t dh_calls_told(void)
{
	return __atomic_load_n(&told, __ATOMIC_RELAXED);
}

/* ---- what has been left ---- */

/* May something still return to it? Its place on the stack would have the address. */
static bool may_return(const struct dh_call *c)
{
	uint64_t back;
	return dh_peek(c->sp - sizeof back, &back, sizeof back) &&
	       dh_trampoline_is_back(back);
}

/* Of several at one place only the youngest can be there: those come first. */
static void give_back_left(struct dh_calls *cs)
{
	struct dh_map seen = {0};
	struct dh_call *c = cs->left, **to = &cs->left;
	for (struct dh_call *next; c; c = next) {
		bool fresh;
		next = c->outer;
		dh_map_put(&seen, c->sp, &fresh);
		if (fresh && may_return(c)) {
			*to = c;
			to = &c->outer;
		} else {
			c->outer = cs->spare;
			cs->spare = c;
			cs->left_count--;
		}
	}
	*to = NULL;
	dh_map_free(&seen);
	cs->left_most = DH_MAX((size_t)LEFT_LEAST, 2 * cs->left_count);
}

/* ---- ends ---- */

static void end(struct dh_self *t, struct dh_call *c, enum dh_call_state how)
{
	if (c->state != DH_CALL_OPEN)
		return;
	c->state = how;
	dh_observer->missing_end(t, c->name, c->pc, &c->reach);
}

/* The innermost call is over, as far as one can tell, and goes from the list. */
static void drop(struct dh_self *t)
{
	struct dh_calls *cs = t->state->calls;
	struct dh_call *c = cs->top;
	bool returned = c->annotated || __atomic_load_n(&c->elsewhere, __ATOMIC_ACQUIRE);
	end(t, c, returned ? DH_CALL_OVER : DH_CALL_LEFT);
	cs->top = c->outer;
	bool left = c->state == DH_CALL_LEFT;
	c->outer = left ? cs->left : cs->spare;
	*(left ? &cs->left : &cs->spare) = c;
	cs->left_count += left;
	if (cs->left_count > cs->left_most)
		give_back_left(cs);
}

/* Can the thread, with this stack pointer outside of signal handlers that it is in, have
 * nothing more to do with the call? What such a handler has interrupted goes on. */
static bool is_past(const struct dh_self *t, const struct dh_call *c, uintptr_t sp)
{
	const struct dh_thread_state *s = t->state;
	if (c->handlers != s->handler_count)
		return c->handlers > s->handler_count;
	if (c->state != DH_CALL_OPEN || __atomic_load_n(&c->elsewhere, __ATOMIC_RELAXED))
		return true;
	return c->annotated ? (size_t)(t->top - s->frames) < c->depth : c->sp <= sp;
}

static void drop_past(struct dh_self *t, uintptr_t sp)
{
	struct dh_calls *cs = t->state->calls;
	while (cs->top && is_past(t, cs->top, sp))
		drop(t);
}

void dh_calls_left_below_slow(struct dh_self *t, uintptr_t sp)
{
	const struct dh_call *c;
	dh_enter_runtime(t);
	while ((c = t->state->calls->top) &&
	       (c->handlers > t->state->handler_count || c->sp < sp))
		drop(t);
	dh_leave_runtime(t);
}

static void free_all(struct dh_call *c)
{
	for (struct dh_call *next; c; c = next) {
		next = c->outer;
		dh_vec_free(&c->reach);
		dh_mem_free(c, sizeof *c);
	}
}

/* The thread ends. */
static void end_all(struct dh_self *t)
{
	struct dh_calls *cs = t->state->calls;
	while (cs->top)
		drop(t);
	t->state->calls = NULL;
	free_all(cs->spare);
	free_all(cs->left);
	dh_vec_free(&cs->globals);
	dh_mem_free(cs, sizeof *cs);
}

/* ---- begins ---- */

static struct dh_calls *calls_of(struct dh_self *t)
{
	struct dh_calls **cs = &t->state->calls;
	if (!*cs) {
		*cs = dh_mem_alloc(sizeof **cs);
		(*cs)->left_most = LEFT_LEAST;
		dh_thread_end_calls = end_all;
	}
	return *cs;
}

static struct dh_call *take(struct dh_self *t, uint64_t pc, uintptr_t sp)
{
	struct dh_calls *cs = calls_of(t);
	struct dh_call *c = cs->spare;
	if (c)
		cs->spare = c->outer;
	else
		c = dh_mem_alloc(sizeof *c);
	c->outer = cs->top;
	c->pc = pc;
	c->sp = sp;
	c->owner = t->state;
	c->handlers = t->state->handler_count;
	c->depth = (uint32_t)(t->top - t->state->frames);
	c->state = DH_CALL_OPEN;
	c->annotated = c->elsewhere = false;
	cs->top = c;
	return c;
}

static void tell(struct dh_self *t, struct dh_call *c, const uint64_t *words,
		 size_t count)
{
	struct dh_calls *cs = t->state->calls;
	dh_reach_settle();
	dh_reach_from(t, c->sp, words, count, &cs->globals, &c->reach);
	cs->globals.len = 0;
	__atomic_fetch_add(&told, 1, __ATOMIC_RELAXED);
	dh_observer->missing_begin(t, c->name, c->pc, &c->reach);
}

struct dh_entering dh_missing_enter(uint32_t number, const uint64_t *arguments,
				    const uint64_t *back)
{
	struct dh_self *t = dh_thread_self();
	const struct dh_plt_hook *h = dh_plt_hook(number);
	uintptr_t sp = (uintptr_t)(back + 1);
	if (!t->state || t->inside)
		return (struct dh_entering){NULL, h->function};
	dh_enter_runtime(t);
	calls_of(t);
	drop_past(t, sp);
	struct dh_call *c = take(t, *back, sp);
	c->name = h->name;
	c->away.back = *back;
	tell(t, c, arguments, ARGUMENTS);
	dh_leave_runtime(t);
	return (struct dh_entering){&c->away, h->function};
}

/* It stays in the list until the trampoline cannot need it any more. */
void dh_missing_leave(struct dh_away *away)
{
	struct dh_self *t = dh_thread_self();
	struct dh_call *c = (struct dh_call *)away;
	if (c->owner != t->state) {
		__atomic_store_n(&c->elsewhere, true, __ATOMIC_RELEASE);
		return;
	}
	if (c->state != DH_CALL_OPEN)
		return;
	dh_enter_runtime(t);
	while (t->state->calls->top != c)
		drop(t);
	end(t, c, DH_CALL_OVER);
	dh_leave_runtime(t);
}

/* Calls are passed from the innermost outward. */
void dh_missing_unwound(void)
{
	struct dh_self *t = dh_thread_self();
	if (!t->state || !t->state->calls)
		return;
	struct dh_calls *cs = t->state->calls;
	dh_enter_runtime(t);
	while (cs->top && (cs->top->annotated || cs->top->state != DH_CALL_OPEN))
		drop(t);
	if (cs->top)
		end(t, cs->top, DH_CALL_OVER);
	dh_leave_runtime(t);
}

/* ---- annotations ---- */

/* As a trace can have it. */
static void set_name(struct dh_call *c, const char *name)
{
	static const char not_these[] = "|(),=: \t\r\n";
	size_t n = 0;
	for (; name && name[n] && n < DH_CALL_NAME_MAX - 1; n++) {
		c->own_name[n] = name[n];
		for (const char *bad = not_these; *bad; bad++)
			if (name[n] == *bad)
				c->own_name[n] = '_';
	}
	if (!n)
		c->own_name[n++] = '_';
	c->own_name[n] = '\0';
	c->name = c->own_name;
}

static struct dh_self *teller(void)
{
	struct dh_self *t = dh_thread_self();
	return dh_missing_wanted() && t->state && !t->inside ? t : NULL;
}

void dh_missing_annotated_begin(const char *name, const uint64_t *words, size_t count,
				uint64_t pc, uintptr_t sp)
{
	struct dh_self *t = teller();
	if (!t)
		return;
	dh_enter_runtime(t);
	calls_of(t);
	drop_past(t, sp);
	struct dh_call *c = take(t, pc, sp);
	c->annotated = true;
	set_name(c, name);
	tell(t, c, words, count);
	dh_leave_runtime(t);
}

void dh_missing_annotated_end(void)
{
	struct dh_self *t = teller();
	struct dh_call *c = t && t->state->calls ? t->state->calls->top : NULL;
	while (c && !(c->annotated && c->state == DH_CALL_OPEN))
		c = c->outer;
	if (!c)
		return;
	dh_enter_runtime(t);
	while (t->state->calls->top != c)
		drop(t);
	drop(t);
	dh_leave_runtime(t);
}

void dh_missing_global(uintptr_t addr, size_t size)
{
	struct dh_self *t = teller();
	if (!t)
		return;
	dh_enter_runtime(t);
	dh_vec_push(&calls_of(t)->globals, (struct dh_reached){addr, size});
	dh_leave_runtime(t);
}
