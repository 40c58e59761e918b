/* SPDX-License-Identifier: MIT */
/*
 * A prediction for people. A schedule is shown from where it leaves the order of the
 * trace: one line for each event, in the column of its thread.
 */
#include "predict/render.h"
#include "report/safe.h"
#include "trace/text.h"

#include <inttypes.h>
#include <string.h>

enum {
	COLUMNS_MAX = 5, /* more threads than this are named on each line instead */
	WIDTH_ALL = 100, /* characters that the columns share */
	WIDTH_MAX = 40,
};

struct page {
	FILE *to;
	const struct dh_predict_page *p;
};

/* The threads of a schedule, in the order of their columns. */
struct columns {
	uint32_t threads[COLUMNS_MAX];
	uint32_t count; /* more than there is room for: names on each line */
	size_t width;
};

static void paint(const struct page *g, const char *escape)
{
	if (g->p->colour)
		fputs(escape, g->to);
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static size_t name(const struct page *g, enum dh_name_kind kind, uint32_t id, size_t most)
{
	return dh_safe_print(g->to, dh_names_text(g->p->names, kind, id),
			     dh_names_length(g->p->names, kind, id), most);
}

/* ---- the two accesses ---- */

static void access(const struct page *g, const char *label, const struct dh_shown *s)
{
	fprintf(g->to, "    %-7s %-5s by ", label,
		s->step.op == DH_WRITE ? "write" : "read");
	name(g, DH_NAME_THREAD, s->step.thread, SIZE_MAX);
	if (s->step.site != DH_SITE_NONE) {
		fputs(" at ", g->to);
		name(g, DH_NAME_SITE, s->step.site, SIZE_MAX);
	}
	fprintf(g->to, "  (event %" PRIu64 ")\n", s->index);
}

static const char *meaning(const struct dh_predict_page *p, const struct dh_predicted *r)
{
	if (r->unknown)
		return "not known: the solver ran out of its time";
	switch (p->config->model) {
	case DH_MODEL_HB:
		return "predicted: happens-before leaves them unordered";
	case DH_MODEL_CP:
		return "predicted: causally-precedes leaves them unordered";
	default:
		return "predicted: a schedule of this run's events has them side by side";
	}
}

/* ---- schedules ---- */

static struct columns columns_of(const struct dh_shown *at, size_t count)
{
	struct columns c = {.count = 0};
	for (size_t i = 0; i < count && c.count <= COLUMNS_MAX; i++) {
		uint32_t k = 0;
		while (k < c.count && k < COLUMNS_MAX &&
		       c.threads[k] != at[i].step.thread)
			k++;
		if (k < c.count)
			continue;
		if (k < COLUMNS_MAX)
			c.threads[k] = at[i].step.thread;
		c.count++;
	}
	c.width = DH_MIN((size_t)WIDTH_MAX, (size_t)WIDTH_ALL / DH_MAX(c.count, 1u));
	return c;
}

static void pad(const struct page *g, size_t from, size_t to)
{
	for (; from < to; from++)
		fputc(' ', g->to);
}

static void heading(const struct page *g, const struct columns *c)
{
	pad(g, 0, 15);
	for (uint32_t i = 0; i < c->count; i++) {
		size_t n = name(g, DH_NAME_THREAD, c->threads[i], c->width - 2);
		if (i + 1 < c->count)
			pad(g, n, c->width);
	}
	fputc('\n', g->to);
}

/* Operation, argument and location of an event. */
static size_t step_text(const struct page *g, const struct dh_shown *s, size_t most)
{
	struct dh_event ev = {
	    .thread = s->step.thread,
	    .target = s->step.target,
	    .site = s->step.site,
	    .op = s->step.op,
	    .has_value = s->step.has_value,
	    .value = s->step.value,
	};
	struct dh_bytes line = {0};
	dh_text_append(&line, g->p->names, &ev);
	size_t from = dh_names_length(g->p->names, DH_NAME_THREAD, ev.thread) + 1;
	size_t len = line.len - 1 - from; /* without the newline */
	char *bar = memchr(line.at + from, '|', len);
	if (ev.site == DH_SITE_NONE)
		len--;
	else if (bar)
		*bar = ' ';
	size_t n = dh_safe_print(g->to, (const char *)line.at + from, len, most);
	dh_vec_free(&line);
	return n;
}

static void schedule_line(const struct page *g, const struct columns *c,
			  const struct dh_shown *s, bool racing)
{
	fprintf(g->to, "    %9" PRIu64 "  ", s->index);
	size_t most = SIZE_MAX;
	if (c->count > COLUMNS_MAX) {
		name(g, DH_NAME_THREAD, s->step.thread, SIZE_MAX);
		fputs("  ", g->to);
	} else {
		uint32_t k = 0;
		while (c->threads[k] != s->step.thread)
			k++;
		pad(g, 0, k * c->width);
		most = k + 1 < c->count ? c->width - 2 : WIDTH_MAX;
	}
	if (racing)
		paint(g, "\033[31m");
	step_text(g, s, most);
	if (racing) {
		paint(g, "\033[0m");
		fputs("  <-- race", g->to);
	}
	fputc('\n', g->to);
}

static void schedule(const struct page *g, const struct dh_predicted *r)
{
	uint64_t all = r->start + r->witness.len, after = all - r->agrees;
	size_t shown = (size_t)DH_MIN(after, (uint64_t)r->tail.len);
	const struct dh_shown *at = r->tail.at + (r->tail.len - shown);
	struct columns c = columns_of(at, shown);
	if (r->agrees == 0)
		fputs("    schedule:\n", g->to);
	else
		fprintf(g->to,
			"    schedule, after the first %" PRIu64
			" event%s as they were:\n",
			r->agrees, plural(r->agrees));
	if (c.count <= COLUMNS_MAX)
		heading(g, &c);
	if (after > shown)
		fprintf(g->to, "          ...  %" PRIu64 " more event%s\n", after - shown,
			plural(after - shown));
	for (size_t i = 0; i < shown; i++)
		schedule_line(g, &c, &at[i], i + 2 >= shown);
}

static void finding(const struct page *g, const struct dh_predicted *r)
{
	paint(g, "\033[1m");
	name(g, DH_NAME_VAR, r->first.step.target, SIZE_MAX);
	paint(g, "\033[0m");
	fprintf(g->to, "  %s\n", meaning(g->p, r));
	access(g, "first", &r->first);
	access(g, "second", &r->second);
	if (r->witness.len)
		schedule(g, r);
	fputc('\n', g->to);
}

/* ---- the whole ---- */

static void counters(const struct page *g)
{
	const struct dh_judge_counters *c = &g->p->result->counters;
	const struct {
		const char *name;
		uint64_t value;
	} list[] = {
	    {"windows", g->p->result->windows},	 {"conflicts", c->pairings},
	    {"common_lock", c->protected_},	 {"refuted", c->refuted},
	    {"confirmed", c->confirmed},	 {"saturated", c->saturated},
	    {"solver_questions", c->questions},	 {"solver_given_up", c->given_up},
	    {"schedules_rejected", c->rejected},
	};
	for (size_t i = 0; i < DH_ARRAY_LEN(list); i++)
		fprintf(g->to, "  %-20s %14" PRIu64 "\n", list[i].name, list[i].value);
}

static void summary(const struct page *g)
{
	const struct dh_prediction *r = g->p->result;
	size_t races = r->races.len, unknown = r->unknown.len;
	dh_safe_print(g->to, g->p->trace, strlen(g->p->trace), SIZE_MAX);
	fprintf(g->to, ": %" PRIu64 " event%s, model %s\n", r->events, plural(r->events),
		dh_model_text(g->p->config->model));
	if (races)
		fprintf(g->to, "  %zu pair%s of code locations can race\n", races,
			plural(races));
	else
		fputs("  no races predicted\n", g->to);
	if (unknown)
		fprintf(g->to, "  %zu pair%s given up on; a larger --timeout may tell\n",
			unknown, plural(unknown));
	if (r->far_pairs)
		fprintf(g->to,
			"  %" PRIu64
			" pair%s of code locations not looked at: further apart "
			"than a window; see --window\n",
			r->far_pairs, plural(r->far_pairs));
	if (g->p->stats)
		counters(g);
}

void dh_render_prediction_text(const struct dh_predict_page *p, FILE *to)
{
	struct page g = {to, p};
	for (size_t i = 0; i < p->result->races.len; i++)
		finding(&g, &p->result->races.at[i]);
	for (size_t i = 0; i < p->result->unknown.len; i++)
		finding(&g, &p->result->unknown.at[i]);
	summary(&g);
}
