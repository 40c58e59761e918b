/* SPDX-License-Identifier: MIT */
/* Causes for people: a short list, or all there is to know about one after the other. */
#include "triage/describe.h"
#include "triage/names.h"
#include "triage/render.h"
#include "triage/sheet.h"

#include <inttypes.h>
#include <string.h>

enum {
	MOST_FRAMES = 100, /* longer stacks lose their middle, */
	KEPT_OUTER = 20,   /* but for the outermost frames */
	WIDE = 110, /* columns from which on the two sides stand next to each other */
	INDENT = 3,
	MOST_VARIANTS = 20, /* in the details of a cause */
};

struct page {
	FILE *to;
	const struct dh_causes *causes;
	const struct dh_render_options *options;
	struct dh_sheet sheet, left, right;
};

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void print(struct page *p, unsigned indent)
{
	dh_sheet_print(&p->sheet, indent, p->options->colour, p->to);
}

const char *dh_render_path(const struct dh_render_options *o, const char *file)
{
	size_t n = o->folder ? strlen(o->folder) : 0;
	bool below = file && n && strncmp(file, o->folder, n) == 0 && file[n] == '/';
	return below && file[n + 1] ? file + n + 1 : file;
}

/* ---- frames ---- */

static void frame(const struct page *p, struct dh_sheet *to, enum dh_style style,
		  const char *before, const struct dh_finding_frame *f)
{
	struct dh_finding_frame shown = *f;
	shown.file = dh_render_path(p->options, f->file);
	struct dh_phrase place = dh_describe_place(&shown);
	const char *after = f->inlined	? " (inlined)"
			    : f->folded ? " (perhaps more rounds)"
					: "";
	if (f->lost)
		dh_sheet_add(to, style, "%s(the calls from here outward were lost)",
			     before);
	else if (f->function && place.text[0])
		dh_sheet_add(to, style, "%s%s in %s%s", before, place.text, f->function,
			     after);
	else
		dh_sheet_add(to, style, "%s%s%s", before,
			     f->function     ? f->function
			     : place.text[0] ? place.text
					     : "?",
			     after);
}

static void stack(const struct page *p, struct dh_sheet *to,
		  const struct dh_finding_stack *s)
{
	char number[16];
	if (!s || !s->len)
		dh_sheet_add(to, DH_STYLE_DIM, "  (stack not known)");
	for (uint32_t i = 0; s && i < s->len; i++) {
		if (s->len > MOST_FRAMES && i == MOST_FRAMES - KEPT_OUTER) {
			uint32_t skipped = s->len - MOST_FRAMES;
			dh_sheet_add(to, DH_STYLE_DIM, "  ... %u more ...", skipped);
			i += skipped;
		}
		snprintf(number, sizeof number, "  #%u ", i);
		frame(p, to,
		      dh_frame_is_library(s->at[i]) ? DH_STYLE_DIM : DH_STYLE_PLAIN,
		      number, s->at[i]);
	}
}

/* ---- one side ---- */

static void locks(const struct page *p, struct dh_sheet *to,
		  const struct dh_finding_access *a)
{
	if (!a->locks_known)
		return;
	if (!a->locks.len && !a->locks_maybe.len)
		dh_sheet_add(to, DH_STYLE_PLAIN, "no locks held");
	for (size_t i = 0; i < a->locks.len; i++) {
		const struct dh_finding_lock *l = &a->locks.at[i];
		dh_sheet_add(to, DH_STYLE_PLAIN, "holding %s%s%s",
			     l->read_mode ? "(for reading) " : "", l->name,
			     l->taken && l->taken->len ? ", taken at" : "");
		if (l->taken && l->taken->len)
			frame(p, to, DH_STYLE_DIM, "  ", l->taken->at[0]);
	}
	for (size_t i = 0; i < a->locks_maybe.len; i++)
		dh_sheet_add(to, DH_STYLE_PLAIN, "perhaps holding %s",
			     a->locks_maybe.at[i].name);
	if (a->locks_lost)
		dh_sheet_add(to, DH_STYLE_PLAIN, "and %" PRIu64 " more lock%s",
			     a->locks_lost, plural(a->locks_lost));
}

static void source(const struct page *p, struct dh_sheet *to, const struct dh_finding *f,
		   const struct dh_finding_access *a)
{
	uint32_t own = dh_stack_own(a->stack, 0);
	if (own >= a->stack->len || a->stack->at[own]->lost)
		return;
	const struct dh_finding_frame *at = a->stack->at[own];
	struct dh_excerpt x = dh_excerpt(p->options->excerpts, at->file, at->line,
					 p->options->context, f->run->time);
	if (x.len && x.newer)
		dh_sheet_add(to, DH_STYLE_DIM, "(the file has changed since the run)");
	for (size_t i = 0; i < x.len; i++)
		dh_sheet_add(to, x.at[i].marked ? DH_STYLE_MARK : DH_STYLE_DIM,
			     "%c %4u  %.*s", x.at[i].marked ? '>' : ' ', x.at[i].number,
			     (int)x.at[i].len, x.at[i].text);
}

static void what(const struct page *p, struct dh_sheet *to, const struct dh_finding *f,
		 const struct dh_finding_access *a)
{
	char index[40] = "";
	if (a == &f->first && !f->has_first) {
		dh_sheet_add(to, DH_STYLE_BOLD, "an earlier access that is not known");
		return;
	}
	if (a->has_index)
		snprintf(index, sizeof index, ", event %" PRIu64, a->index);
	dh_sheet_add(to, DH_STYLE_BOLD, "%s by %s%s", dh_describe_access(a).text,
		     dh_describe_thread(a->thread).text, index);
	locks(p, to, a);
}

static void calls(const struct page *p, struct dh_sheet *to, const struct dh_finding *f,
		  const struct dh_finding_access *a)
{
	if (a != &f->first || f->has_first)
		stack(p, to, a->stack);
}

/* Next to each other, the parts of both sides begin in the same line. */
static void both_sides(struct page *p, const struct dh_finding *f)
{
	static void (*const parts[])(
	    const struct page *p, struct dh_sheet *to, const struct dh_finding *f,
	    const struct dh_finding_access *a) = {what, source, calls};
	unsigned columns = p->options->columns;
	bool wide = columns >= WIDE;
	for (size_t i = 0; i < DH_ARRAY_LEN(parts); i++) {
		parts[i](p, &p->left, f, &f->first);
		parts[i](p, &p->right, f, &f->second);
		if (wide)
			dh_sheet_print_both(&p->left, &p->right, INDENT,
					    (columns - INDENT - 3) / 2,
					    p->options->colour, p->to);
	}
	if (wide)
		return;
	dh_sheet_print(&p->left, INDENT, p->options->colour, p->to);
	fputc('\n', p->to);
	dh_sheet_print(&p->right, INDENT, p->options->colour, p->to);
}

/* Accesses that were added to the two, each with its stack. */
static void further(struct page *p, const struct dh_finding *f)
{
	struct dh_finding_place places[DH_FINDING_MOST];
	size_t len = dh_finding_places(f, places);
	for (size_t i = f->has_first ? 2 : 1; i < len; i++) {
		const struct dh_finding *race = places[i].race;
		dh_sheet_add(&p->sheet, DH_STYLE_PLAIN, "%s", "");
		dh_sheet_add(&p->sheet, DH_STYLE_DIM, "further access%s%s",
			     race->grade == f->grade ? "" : ", ",
			     race->grade == f->grade ? "" : dh_grade_text(race->grade));
		what(p, &p->sheet, race, places[i].access);
		source(p, &p->sheet, race, places[i].access);
		calls(p, &p->sheet, race, places[i].access);
	}
	print(p, INDENT);
}

/* ---- the object and the threads ---- */

static void object(struct page *p, const struct dh_finding *f)
{
	const struct dh_finding_object *o = &f->object;
	struct dh_sheet *to = &p->sheet;
	if (o->kind == DH_KIND_GLOBAL && o->variable.file)
		dh_sheet_add(
		    to, DH_STYLE_PLAIN, "%s is declared at %s:%u", o->variable.name,
		    dh_render_path(p->options, o->variable.file), o->variable.line);
	if (o->kind == DH_KIND_HEAP) {
		dh_sheet_add(to, DH_STYLE_PLAIN,
			     "byte %" PRIu64 " of a heap block of %" PRIu64
			     " byte%s, allocated by %s at",
			     o->offset, o->size, plural(o->size),
			     dh_describe_thread(o->thread).text);
		stack(p, to, o->allocated);
		if (o->freed) {
			dh_sheet_add(to, DH_STYLE_PLAIN, "and freed by %s at",
				     dh_describe_thread(o->free_thread).text);
			stack(p, to, o->freed);
		}
	}
}

static void threads(struct page *p, const struct dh_finding *f)
{
	for (size_t i = 0; i < f->threads_len; i++) {
		const struct dh_finding_thread *t = &f->threads[i];
		if (t->main || !t->created || !t->created->len)
			continue;
		dh_sheet_add(&p->sheet, DH_STYLE_PLAIN, "%s was created at",
			     dh_describe_thread(t).text);
		stack(p, &p->sheet, t->created);
	}
}

static void witness(struct page *p, const struct dh_finding *f)
{
	if (f->witness_len)
		dh_sheet_add(
		    &p->sheet, DH_STYLE_PLAIN,
		    "a schedule of %" PRIu64 " events leads there (--format json has it)",
		    f->witness_start + f->witness_len);
}

/* ---- causes ---- */

static const char *where_from(const struct dh_finding_run *run)
{
	return run->time ? run->time : run->trace ? run->trace : run->file;
}

static void sightings(struct page *p, const struct dh_cause *c)
{
	const struct dh_sightings *s = &c->seen;
	dh_sheet_add(
	    &p->sheet, DH_STYLE_PLAIN, "%" PRIu64 " finding%s in %u run%s%s%s%s%s",
	    s->count, plural(s->count), s->runs, plural(s->runs),
	    s->runs > 1 ? "; first " : "; ", where_from(s->first),
	    s->runs > 1 ? ", last " : "", s->runs > 1 ? where_from(s->last) : "");
	for (int g = DH_OBSERVED; g <= DH_PREDICTED; g++)
		if (s->graded[g] && s->graded[g] != s->count)
			dh_sheet_add(&p->sheet, DH_STYLE_PLAIN, "  %" PRIu64 " %s",
				     s->graded[g], dh_grade_text((enum dh_grade)g));
}

static void variants(struct page *p, const struct dh_cause *c)
{
	if (c->variants_len < 2)
		return;
	dh_sheet_add(&p->sheet, DH_STYLE_BOLD, "%zu variants, all with the %s %s",
		     c->variants_len, c->common_function ? "function" : "object",
		     c->common ? c->common : "?");
	for (size_t i = 0; i < c->variants_len; i++) {
		const struct dh_variant *v = &c->variants[i];
		if (i == MOST_VARIANTS) {
			dh_sheet_add(&p->sheet, DH_STYLE_DIM,
				     "  and %zu more (--format json has all)",
				     c->variants_len - i);
			break;
		}
		dh_sheet_add(&p->sheet, DH_STYLE_PLAIN, "  %s  %" PRIu64 " x  %s%s",
			     v->id.text, v->seen.count,
			     p->causes->has_baseline && v->is_new ? "new: " : "",
			     v->title);
	}
}

static void heading(struct page *p, size_t number, const struct dh_cause *c)
{
	const char *is_new = p->causes->has_baseline && c->is_new ? "new, " : "";
	dh_sheet_add(&p->sheet, c->grade == DH_OBSERVED ? DH_STYLE_RED : DH_STYLE_BOLD,
		     "%zu. %s%s: %s", number, is_new, dh_grade_text(c->grade), c->title);
	print(p, 0);
}

static void patterns(struct page *p, const struct dh_cause *c, bool advice)
{
	for (size_t i = 0; i < c->patterns_len; i++) {
		const struct dh_pattern_text *t = &dh_pattern_texts[c->patterns[i].kind];
		dh_sheet_add(&p->sheet, advice ? DH_STYLE_BOLD : DH_STYLE_PLAIN, "%s: %s",
			     t->title, c->patterns[i].because);
		if (advice)
			dh_sheet_add(&p->sheet, DH_STYLE_PLAIN, "  %s", t->advice);
	}
}

static void brief(struct page *p, size_t number, const struct dh_cause *c)
{
	struct dh_finding_place places[DH_FINDING_MOST];
	char more[80] = "";
	size_t len = dh_finding_places(c->variants[0].sample, places), at = 0;
	heading(p, number, c);
	if (c->variants_len > 1)
		at = (size_t)snprintf(more, sizeof more, ", %zu variants", c->variants_len);
	if (len > 2)
		snprintf(more + at, sizeof more - at, ", %zu places", len);
	dh_sheet_add(&p->sheet, DH_STYLE_PLAIN, "%s: %" PRIu64 " finding%s in %u run%s%s",
		     c->id.text, c->seen.count, plural(c->seen.count), c->seen.runs,
		     plural(c->seen.runs), more);
	patterns(p, c, false);
	print(p, INDENT);
}

static struct dh_phrase engines(const struct dh_cause *c)
{
	struct dh_phrase list = {""};
	for (size_t i = 0; i < c->engines_len; i++) {
		size_t n = strlen(list.text);
		snprintf(list.text + n, sizeof list.text - n, "%s%s", i ? ", " : "",
			 c->engines[i]);
	}
	return list;
}

static void detail(struct page *p, size_t number, const struct dh_cause *c)
{
	const struct dh_finding *f = c->variants[0].sample;
	heading(p, number, c);
	dh_sheet_add(&p->sheet, DH_STYLE_PLAIN, "id %s, found by %s", c->id.text,
		     engines(c).text);
	sightings(p, c);
	patterns(p, c, true);
	dh_sheet_add(&p->sheet, DH_STYLE_PLAIN, "%s", "");
	print(p, INDENT);
	both_sides(p, f);
	further(p, f);
	dh_sheet_add(&p->sheet, DH_STYLE_PLAIN, "%s", "");
	object(p, f);
	threads(p, f);
	witness(p, f);
	variants(p, c);
	print(p, INDENT);
	fputc('\n', p->to);
}

/* ---- the whole ---- */

static void summary(struct page *p)
{
	const struct dh_causes *c = p->causes;
	size_t grades[DH_PREDICTED + 1] = {0}, runs = dh_findings_runs(c->from);
	for (size_t i = 0; i < c->len; i++)
		grades[c->at[i].grade]++;
	if (!c->len) {
		dh_sheet_add(&p->sheet, DH_STYLE_BOLD,
			     "deadheat: no findings in %zu run%s", runs, plural(runs));
		return;
	}
	char which[120] = "";
	static const enum dh_grade order[] = {DH_OBSERVED, DH_PREDICTED, DH_POTENTIAL};
	for (size_t i = 0; i < DH_ARRAY_LEN(order); i++)
		if (grades[order[i]]) {
			size_t n = strlen(which);
			snprintf(which + n, sizeof which - n, "%s%zu %s", n ? ", " : "",
				 grades[order[i]], dh_grade_text(order[i]));
		}
	dh_sheet_add(&p->sheet, DH_STYLE_BOLD,
		     "deadheat: %zu cause%s (%s) of %" PRIu64 " finding%s in %zu run%s",
		     c->len, plural(c->len), which, c->count, plural(c->count), runs,
		     plural(runs));
}

/* What keeps the list from being all there was. */
static void losses(struct page *p)
{
	const struct dh_findings *s = p->causes->from;
	for (size_t i = 0; i < dh_findings_runs(s); i++) {
		const struct dh_finding_run *r = dh_findings_run(s, i);
		char where[600];
		snprintf(where, sizeof where, "%s:%" PRIu64 " (%s)", r->file, r->line,
			 r->trace ? r->trace : r->engine);
		if (r->damage)
			dh_sheet_add(&p->sheet, DH_STYLE_DIM, "%s: damaged: %s", where,
				     r->damage);
		else if (!r->complete)
			dh_sheet_add(&p->sheet, DH_STYLE_DIM, "%s: %s", where,
				     r->ended
					 ? "ended without a word: a crash, a kill or an "
					   "exec"
					 : "has no end: still running, or the file was "
					   "cut");
		for (size_t k = 0; k < r->losses_len; k++)
			dh_sheet_add(&p->sheet, DH_STYLE_DIM, "%s: lost: %s %" PRIu64,
				     where, r->losses[k].name, r->losses[k].count);
	}
	print(p, 0);
}

static void known(struct page *p)
{
	bool any = false;
	for (size_t i = 0; i < p->causes->len; i++) {
		const struct dh_cause *c = &p->causes->at[i];
		if (c->is_new)
			continue;
		if (!any)
			dh_sheet_add(&p->sheet, DH_STYLE_BOLD, "in the baseline:");
		any = true;
		dh_sheet_add(&p->sheet, DH_STYLE_PLAIN, "   %s  %s: %s", c->id.text,
			     dh_grade_text(c->grade), c->title);
	}
	print(p, 0);
}

void dh_render_causes_text(FILE *to, const struct dh_causes *c,
			   const struct dh_render_options *o)
{
	struct page p = {.to = to, .causes = c, .options = o};
	bool any = false;
	summary(&p);
	print(&p, 0);
	for (size_t i = 0; i < c->len; i++) {
		if (o->only ? o->only != &c->at[i] : c->has_baseline && !c->at[i].is_new)
			continue;
		if (!any || o->details)
			fputc('\n', to);
		any = true;
		(o->details || o->only ? detail : brief)(&p, i + 1, &c->at[i]);
	}
	if (!o->only && c->has_baseline)
		known(&p);
	if (any && !o->only && !o->details)
		fputs("\n--id ID shows one of them in full, --details all.\n", to);
	losses(&p);
	dh_sheet_free(&p.sheet);
	dh_sheet_free(&p.left);
	dh_sheet_free(&p.right);
}
