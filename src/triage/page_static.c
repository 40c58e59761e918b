/* SPDX-License-Identifier: MIT */
/* The list of the HTML report for who reads it without scripts: every cause with its two
 * places, the first ones with stacks. */
#include "base/utf8.h"
#include "triage/page.h"
#include "triage/describe.h"
#include "triage/names.h"

#include <inttypes.h>
#include <string.h>

enum { WITH_STACKS = 500 }; /* causes; a browser with scripts skips over all this */

static void escaped(FILE *to, const char *text)
{
	const unsigned char *s = (const unsigned char *)text, *end = s + strlen(text);
	while (s < end) {
		size_t n = dh_utf8_len(s, (size_t)(end - s));
		if (n == 0 || dh_utf8_is_control(s, n))
			fputs("\xef\xbf\xbd", to);
		else if (strchr("<>&\"'", *s))
			fprintf(to, "&#%d;", *s);
		else
			fwrite(s, 1, n, to);
		s += n ? n : 1;
	}
}

static void place(FILE *to, const struct dh_finding_frame *f,
		  const struct dh_render_options *o)
{
	escaped(to, dh_describe_frame(f).text);
	if (f->function && f->file) {
		fputc(' ', to);
		escaped(to, dh_render_path(o, f->file));
		if (f->line)
			fprintf(to, ":%" PRIu32, f->line);
	}
}

static void stack(FILE *to, const struct dh_finding_stack *s,
		  const struct dh_render_options *o)
{
	fputs("<pre>", to);
	for (uint32_t i = 0; i < s->len; i++) {
		place(to, s->at[i], o);
		fputs(s->at[i]->inlined ? " (inlined)\n" : "\n", to);
	}
	fputs("</pre>\n", to);
}

static void side(FILE *to, const struct dh_finding_access *a,
		 const struct dh_render_options *o, bool with_stack)
{
	const struct dh_finding_frame *where = dh_stack_where(a->stack);
	fputs("<p>", to);
	escaped(to, dh_describe_access(a).text);
	fputs(" by ", to);
	escaped(to, dh_describe_thread(a->thread).text);
	if (where) {
		fputs(" in ", to);
		place(to, where, o);
	}
	fputs("</p>\n", to);
	if (with_stack)
		stack(to, a->stack, o);
}

static void cause(FILE *to, const struct dh_cause *c, const struct dh_render_options *o,
		  bool with_stacks)
{
	const struct dh_finding *f = c->variants[0].sample;
	struct dh_finding_place places[DH_FINDING_MOST];
	fprintf(to, "<li id=\"static-%s\"><p><strong>", c->id.text);
	escaped(to, c->title);
	fprintf(to, "</strong> (%s, %s", dh_grade_text(c->grade), c->id.text);
	if (f->suppressed) {
		fputs(", suppressed by ", to);
		escaped(to, f->suppressed);
	}
	fprintf(to, ", %" PRIu64 " finding%s in %" PRIu32 " run%s)</p>\n", c->seen.count,
		c->seen.count == 1 ? "" : "s", c->seen.runs,
		c->seen.runs == 1 ? "" : "s");
	for (size_t i = 0; i < c->patterns_len; i++) {
		const struct dh_pattern_text *t = &dh_pattern_texts[c->patterns[i].kind];
		fputs("<p>", to);
		escaped(to, t->title);
		fputs(": ", to);
		escaped(to, c->patterns[i].because);
		fputs(". ", to);
		escaped(to, t->advice);
		fputs("</p>\n", to);
	}
	side(to, &f->second, o, with_stacks);
	if (f->has_first)
		side(to, &f->first, o, with_stacks);
	size_t len = dh_finding_places(f, places);
	for (size_t i = f->has_first ? 2 : 1; i < len; i++)
		side(to, places[i].access, o, with_stacks);
	fputs("</li>\n", to);
}

void dh_page_static(FILE *to, const struct dh_causes *c,
		    const struct dh_render_options *o)
{
	fputs("<ol class=\"static\">\n", to);
	for (size_t i = 0; i < c->len; i++)
		if (!o->only || o->only == &c->at[i])
			cause(to, &c->at[i], o, i < WITH_STACKS);
	for (size_t i = 0; o->suppressed && i < o->suppressed->len; i++)
		cause(to, &o->suppressed->at[i], o, false);
	fputs("</ol>\n", to);
}
