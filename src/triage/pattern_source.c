/* SPDX-License-Identifier: MIT */
/* Patterns that the racing lines tell, see pattern.h. The lines are those of the
 * innermost frame of the program's own; what they call the object is the last word of its
 * name, or, where it has none (heap), the one thing that the writing line assigns to. */
#include "triage/fingerprint.h"
#include "triage/pattern_internal.h"

#include <string.h>

enum { AROUND = 15 }; /* lines; a function that makes something at first use is short */

/* ---- looking ---- */

static void look_at(struct dh_pattern_side *s, const struct dh_finding_access *a,
		    struct dh_excerpts *excerpts)
{
	uint32_t own = dh_stack_own(a->stack, 0);
	s->access = a;
	if (own >= a->stack->len || a->stack->at[own]->lost)
		return;
	s->frame = a->stack->at[own];
	if (own >
	    0) /* the line calls the library, which did it: its words tell nothing */
		return;
	s->excerpt = dh_excerpt(excerpts, s->frame->file, s->frame->line, AROUND, NULL);
	for (size_t i = 0; i < s->excerpt.len; i++)
		if (s->excerpt.at[i].marked)
			s->line = &s->excerpt.at[i];
}

static void look_for_name(struct dh_pattern_side *s, struct dh_line_word name)
{
	s->uses =
	    s->line ? dh_line_uses(s->line->text, s->line->len, name, &s->constant) : 0;
}

static struct dh_line_word name_of_object(struct dh_pattern_view *v)
{
	const struct dh_finding_object *o = &v->finding->object;
	if (o->kind != DH_KIND_GLOBAL && o->kind != DH_KIND_VARIABLE)
		return (struct dh_line_word){NULL, 0};
	dh_name_variable(o->variable.name, o->variable.part, &v->object);
	return dh_line_last_word(v->object.text);
}

/* What a line that writes assigns to. */
static struct dh_line_word name_of_target(const struct dh_pattern_view *v)
{
	const struct dh_pattern_side *sides[] = {&v->second, &v->first};
	for (size_t i = 0; i < 2; i++)
		if (sides[i]->line && sides[i]->access->op == DH_OP_WRITE)
			return dh_line_target(sides[i]->line->text, sides[i]->line->len);
	return (struct dh_line_word){NULL, 0};
}

void dh_pattern_look(struct dh_pattern_view *v, struct dh_excerpts *excerpts)
{
	look_at(&v->second, &v->finding->second, excerpts);
	look_at(&v->first, &v->finding->first, excerpts);
	v->name = name_of_object(v);
	look_for_name(&v->first, v->name);
	look_for_name(&v->second, v->name);
	if (v->first.uses || v->second.uses ||
	    v->finding->object.kind == DH_KIND_VARIABLE)
		return;
	v->name = name_of_target(v);
	look_for_name(&v->first, v->name);
	look_for_name(&v->second, v->name);
}

/* ---- the two sides ---- */

static bool plain(const struct dh_pattern_side *s, enum dh_finding_op op)
{
	return s->access->op == op && !s->access->atomic;
}

/* The one that only reads, where there is one; *writer is then the other. */
static const struct dh_pattern_side *reader(const struct dh_pattern_view *v,
					    const struct dh_pattern_side **writer)
{
	if (!v->finding->has_first)
		return NULL;
	bool first = v->first.access->op == DH_OP_READ;
	*writer = first ? &v->second : &v->first;
	const struct dh_pattern_side *r = first ? &v->first : &v->second;
	return r->access->op == DH_OP_READ && (*writer)->access->op == DH_OP_WRITE ? r
										   : NULL;
}

static const char *file_name(const struct dh_pattern_side *s)
{
	const char *slash = strrchr(s->frame->file, '/');
	return slash ? slash + 1 : s->frame->file;
}

/* ---- one line ---- */

const char *dh_pattern_counter_source(const struct dh_pattern_view *v)
{
	const struct dh_pattern_side *sides[] = {&v->second, &v->first};
	for (size_t i = 0; i < (v->finding->has_first ? 2 : 1); i++)
		if (plain(sides[i], DH_OP_WRITE) && sides[i]->uses & DH_USE_UPDATE)
			return dh_pattern_say(
			    v->pool, "%s:%u reads `%.*s`, changes it and writes it back",
			    file_name(sides[i]), sides[i]->line->number, (int)v->name.len,
			    v->name.text);
	return NULL;
}

const char *dh_pattern_same_source(const struct dh_pattern_view *v)
{
	const struct dh_pattern_side *a = &v->first, *b = &v->second;
	if (!v->finding->has_first || !plain(a, DH_OP_WRITE) || !plain(b, DH_OP_WRITE) ||
	    !(a->uses & b->uses & DH_USE_CONSTANT) ||
	    a->constant.len != b->constant.len ||
	    memcmp(a->constant.text, b->constant.text, a->constant.len) != 0)
		return NULL;
	return dh_pattern_say(v->pool, "both set `%.*s` to %.*s", (int)v->name.len,
			      v->name.text, (int)a->constant.len, a->constant.text);
}

const char *dh_pattern_flag(const struct dh_pattern_view *v)
{
	const struct dh_pattern_side *w, *r = reader(v, &w);
	if (!r || r->access->atomic || !(r->uses & DH_USE_LOOP) ||
	    !(w->uses & DH_USE_CONSTANT))
		return NULL;
	return dh_pattern_say(v->pool, "%s:%u loops on `%.*s`, which %s:%u sets to %.*s",
			      file_name(r), r->line->number, (int)v->name.len,
			      v->name.text, file_name(w), w->line->number,
			      (int)w->constant.len, w->constant.text);
}

/* ---- first use ---- */

/* The way to an assignment of the name, in the lines before it and as far as the function
 * goes: the check, and what comes between. */
struct way {
	uint32_t check;	    /* the outer check's line; 0: none */
	bool locked_before; /* a lock is taken before that */
	bool locked_after;  /* or after it */
	bool checked_again; /* and then there is another check */
};

/* last is the line up to which lines are looked at. */
static bool is_check(const struct dh_pattern_view *v, const struct dh_excerpt_line *l,
		     const struct dh_excerpt_line *last)
{
	struct dh_line_word constant;
	unsigned uses = dh_line_uses(l->text, l->len, v->name, &constant);
	bool away = l < last && dh_line_leaves(l[1].text, l[1].len);
	return away ? uses & DH_USE_TEST_LEAVE
		    : uses & (DH_USE_TEST_EMPTY | DH_USE_TEST_LEAVE);
}

static struct way way_to(const struct dh_pattern_view *v, const struct dh_pattern_side *w)
{
	struct way way = {0};
	if (!w->line || !(w->uses & DH_USE_ASSIGN) || w->uses & DH_USE_UPDATE ||
	    (w->uses & DH_USE_CONSTANT && dh_line_is_empty(w->constant)))
		return way;
	for (const struct dh_excerpt_line *l = w->excerpt.at; l <= w->line; l++) {
		if (l->len && l->text[0] == '}') { /* the end of another function */
			way = (struct way){0};
		} else if (dh_line_locks(l->text, l->len)) {
			*(way.check ? &way.locked_after : &way.locked_before) = true;
		} else if (is_check(v, l, w->line)) {
			way.checked_again |= way.check && way.locked_after;
			way.check = way.check ? way.check : l->number;
		}
	}
	return way;
}

static bool same_file(const struct dh_pattern_side *a, const struct dh_pattern_side *b)
{
	return a->frame && b->frame && a->frame->file && b->frame->file &&
	       strcmp(a->frame->file, b->frame->file) == 0;
}

/* Does this access do the check at the beginning of the way? */
static bool does_check(const struct dh_pattern_side *r, const struct dh_pattern_side *w,
		       const struct way *way)
{
	return way->check && same_file(r, w) && r->frame->line == way->check &&
	       !r->access->atomic;
}

const char *dh_pattern_double_checked(const struct dh_pattern_view *v)
{
	const struct dh_pattern_side *w, *r = reader(v, &w);
	if (!r)
		return NULL;
	struct way way = way_to(v, w);
	if (!does_check(r, w, &way) || way.locked_before || !way.checked_again)
		return NULL;
	return dh_pattern_say(v->pool,
			      "%s:%u checks `%.*s` without the lock, under which line %u "
			      "checks again and sets it",
			      file_name(w), way.check, (int)v->name.len, v->name.text,
			      w->line->number);
}

const char *dh_pattern_lazy_init(const struct dh_pattern_view *v)
{
	const struct dh_pattern_side *w, *r = reader(v, &w);
	struct way way;
	if (r) {
		way = way_to(v, w);
		if (!does_check(r, w, &way))
			return NULL;
	} else { /* both found it missing */
		w = &v->second;
		way = way_to(v, w);
		if (!v->finding->has_first || !plain(&v->first, DH_OP_WRITE) ||
		    !plain(w, DH_OP_WRITE) || !same_file(&v->first, w) ||
		    v->first.frame->line != w->frame->line)
			return NULL;
	}
	if (!way.check || way.locked_before || way.checked_again)
		return NULL;
	return dh_pattern_say(
	    v->pool, "%s:%u makes `%.*s` where the check in line %u finds it missing",
	    file_name(w), w->line->number, (int)v->name.len, v->name.text, way.check);
}

/* ---- publication ---- */

static bool same_function(const struct dh_finding_frame *a,
			  const struct dh_finding_frame *b)
{
	struct dh_name x, y;
	if (!a || !b || !a->function || !b->function)
		return false;
	dh_name_frame(a, &x);
	dh_name_frame(b, &y);
	return strcmp(x.text, y.text) == 0;
}

/* Was the reader's thread created after the object, and before the write, by the function
 * that did both? Then it was given the object while it was still being written to, which
 * is another mistake. */
static bool shared_before(const struct dh_pattern_side *r,
			  const struct dh_pattern_side *w,
			  const struct dh_finding_frame *maker)
{
	const struct dh_finding_stack *created =
	    r->access->thread ? r->access->thread->created : NULL;
	for (uint32_t i = 0; created && i < created->len; i++)
		if (same_function(created->at[i], maker))
			return created->at[i]->line < w->frame->line;
	return false;
}

/* The thread that made the object was still filling it in, in the function that made it.
 */
static const char *half_made(const struct dh_pattern_view *v,
			     const struct dh_pattern_side *r,
			     const struct dh_pattern_side *w)
{
	const struct dh_finding_object *o = &v->finding->object;
	const struct dh_finding_frame *maker =
	    o->kind == DH_KIND_HEAP ? dh_stack_allocator(o->allocated) : NULL;
	if (!maker || !o->thread || o->thread != w->access->thread || o->freed ||
	    w->access->locks.len || w->uses & DH_USE_UPDATE || !w->frame ||
	    !same_function(maker, w->frame) || w->frame->line < maker->line ||
	    same_function(r->frame, w->frame) || shared_before(r, w, maker))
		return NULL;
	struct dh_name in, at;
	return dh_pattern_say(
	    v->pool,
	    "`%s` allocates the block and fills it in, and `%s` in another "
	    "thread reads it with no order in between",
	    dh_pattern_function(w->access, &in), dh_pattern_function(r->access, &at));
}

const char *dh_pattern_publication(const struct dh_pattern_view *v)
{
	const struct dh_pattern_side *w, *r = reader(v, &w);
	if (!r)
		return NULL;
	const char *because = half_made(v, r, w);
	bool pointer = w->access->size == 0 || w->access->size == sizeof(void *);
	bool assigns =
	    (w->uses & (DH_USE_ASSIGN | DH_USE_CONSTANT | DH_USE_SELF | DH_USE_DEREF)) ==
	    DH_USE_ASSIGN;
	if (because || !pointer || !assigns || !(r->uses & DH_USE_DEREF) ||
	    r->access->atomic || way_to(v, w).check)
		return because;
	return dh_pattern_say(
	    v->pool,
	    "%s:%u sets the pointer `%.*s`, and %s:%u follows it with no "
	    "order in between",
	    file_name(w), w->line->number, (int)v->name.len, v->name.text, file_name(r),
	    r->line->number);
}
