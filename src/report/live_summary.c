/* SPDX-License-Identifier: MIT */
/* The end of a run for people: what was found, what was lost, what was not watched. */
#include "report/live_page.h"

#include <inttypes.h>
#include <string.h>

static void losses(const struct dh_live_page *p, const struct dh_live_end *e)
{
	bool any = false;
	for (size_t i = 0; i < e->counters.len; i++) {
		const struct dh_live_counter *c = &e->counters.at[i];
		if (!c->loss || !c->value)
			continue;
		fprintf(p->to, "%s%s %" PRIu64, any ? ", " : "  lost: ", c->name,
			c->value);
		any = true;
	}
	fputs(any ? "\n" : "  nothing was lost\n", p->to);
}

/* What was seen and, as the program or the user wishes, not reported. */
static void met(const struct dh_live_page *p, const struct dh_live_end *e,
		const char *counter, const char *what)
{
	for (size_t i = 0; i < e->counters.len; i++)
		if (e->counters.at[i].value &&
		    strcmp(e->counters.at[i].name, counter) == 0)
			fprintf(p->to, "  passed over %" PRIu64 " time%s: races %s\n",
				e->counters.at[i].value,
				dh_live_plural(e->counters.at[i].value), what);
}

static void modules(const struct dh_live_page *p, struct dh_symbols *s)
{
	size_t system = 0;
	for (uint32_t i = 0; i < dh_symbols_count(s); i++) {
		enum dh_module_kind kind = dh_symbols_kind(s, i);
		system += kind == DH_MODULE_SYSTEM;
		if (kind != DH_MODULE_PLAIN && kind != DH_MODULE_UNREADABLE)
			continue;
		fputs(kind == DH_MODULE_PLAIN ? "  not instrumented: "
					      : "  not readable: ",
		      p->to);
		dh_live_name(p, dh_symbols_path(s, i));
		fputc('\n', p->to);
	}
	if (system)
		fprintf(p->to, "  not instrumented: %zu system librar%s\n", system,
			system == 1 ? "y" : "ies");
}

static void counters(const struct dh_live_page *p, const struct dh_live_end *e)
{
	for (size_t i = 0; i < e->counters.len; i++)
		fprintf(p->to, "    %-24s %14" PRIu64 "\n", e->counters.at[i].name,
			e->counters.at[i].value);
}

/* What was found, and by the user's wish does not count. */
static void passed_over(const struct dh_live_page *p, const struct dh_live_end *e)
{
	size_t used = 0;
	for (size_t i = 0; i < e->rules.len; i++)
		used += e->rules.at[i].used != 0;
	if (e->suppressed)
		fprintf(p->to, "  %" PRIu64 " suppressed by %zu rule%s\n", e->suppressed,
			used, dh_live_plural(used));
	if (e->known)
		fprintf(p->to, "  %" PRIu64 " known from the baseline\n", e->known);
}

static void unused(const struct dh_live_page *p, const struct dh_live_end *e)
{
	enum { MOST = 10 };
	size_t shown = 0, left = 0;
	for (size_t i = 0; i < e->rules.len; i++) {
		const struct dh_live_rule *r = &e->rules.at[i];
		if (r->used)
			continue;
		if (shown == MOST && !p->style->verbose) {
			left++;
			continue;
		}
		shown++;
		fputs("  ", p->to);
		dh_live_file(p, r->file, r->line, 0);
		fputs(": ", p->to);
		dh_live_name(p, r->text);
		fprintf(p->to, "%s%s\n", r->idle ? ": " : " was not used",
			r->idle ? r->idle : "");
	}
	if (left)
		fprintf(p->to, "  %zu more rules were not used (--verbose names them)\n",
			left);
}

/* Findings that have more accesses than two. */
static void further(const struct dh_live_page *p, const struct dh_live_findings *s)
{
	enum { MOST = 10 };
	size_t listed = 0, left = 0;
	for (size_t i = 0; s && i < s->all.len; i++) {
		const struct dh_live_finding *f = &s->all.at[i];
		if (!f->shown || f->lines.len <= 2)
			continue;
		if (listed == MOST && !p->style->verbose) {
			left++;
			continue;
		}
		listed++;
		fprintf(p->to, "  data race %" PRIu64 " on %s: %zu places\n", f->serial,
			f->object ? f->object : "?", f->lines.len);
		for (size_t k = 0; k < f->lines.len; k++)
			fprintf(p->to, "    %s\n", f->lines.at[k] ? f->lines.at[k] : "?");
	}
	if (left)
		fprintf(p->to,
			"  and %zu more of several places (--verbose lists them)\n",
			left);
	if (s && s->left_out && !p->style->verbose)
		fprintf(p->to,
			"  %" PRIu64 " further access%s without a stack here (--json and "
			"--verbose have it)\n",
			s->left_out, s->left_out == 1 ? "" : "es");
}

void dh_live_text_end(const struct dh_live_end *e, struct dh_symbols *s,
		      const struct dh_live_style *style, FILE *to)
{
	struct dh_live_page p = {to, style, NULL};
	if (e->distinct)
		fprintf(to,
			"deadheat: %" PRIu64 " distinct race%s, met %" PRIu64 " time%s\n",
			e->distinct, dh_live_plural(e->distinct), e->total,
			dh_live_plural(e->total));
	if (e->potential)
		fprintf(to, "  %" PRIu64 " of these potential\n", e->potential);
	if (!e->distinct)
		fputs("deadheat: no races\n", to);
	further(&p, e->findings);
	passed_over(&p, e);
	if (e->left_out)
		fprintf(to,
			"  %" PRIu64
			" not shown: between the same lines as others (--json and "
			"--verbose have all)\n",
			e->left_out);
	if (e->told)
		losses(&p, e);
	else
		fputs("  the program ended without a word: a crash, a kill or an exec\n",
		      to);
	met(&p, e, "benign_met", "that the program calls benign");
	met(&p, e, "untracked_met", "in what the annotations name");
	modules(&p, s);
	unused(&p, e);
	if (style->stats)
		counters(&p, e);
	if (e->suggestions && *e->suggestions)
		fprintf(to, "  lines that would suppress what is reported here:\n%s",
			e->suggestions);
}
