/* SPDX-License-Identifier: MIT */
/* What has changed between two sets of causes, for people. */
#include "triage/render.h"
#include "triage/sheet.h"

bool dh_cause_is_new(const struct dh_cause *c)
{
	return c->is_new;
}

bool dh_cause_is_still(const struct dh_cause *c)
{
	return !c->is_new;
}

bool dh_cause_is_gone(const struct dh_cause *c)
{
	return !c->known;
}

static size_t list(FILE *to, const struct dh_causes *c,
		   bool (*belongs)(const struct dh_cause *c), const char *what,
		   const struct dh_render_options *o)
{
	struct dh_sheet sheet = {0};
	size_t n = 0;
	for (size_t i = 0; i < c->len; i++) {
		if (!belongs(&c->at[i]))
			continue;
		if (!n++)
			dh_sheet_add(&sheet, DH_STYLE_BOLD, "%s:", what);
		dh_sheet_add(&sheet, DH_STYLE_PLAIN, "   %s  %s: %s", c->at[i].id.text,
			     dh_grade_text(c->at[i].grade), c->at[i].title);
	}
	dh_sheet_print(&sheet, 0, o->colour, to);
	dh_sheet_free(&sheet);
	return n;
}

void dh_render_diff_text(FILE *to, const struct dh_causes *c, const struct dh_causes *old,
			 const struct dh_render_options *o)
{
	size_t added = list(to, c, dh_cause_is_new, "new", o);
	size_t gone = list(to, old, dh_cause_is_gone, "gone", o);
	size_t still = list(to, c, dh_cause_is_still, "still there", o);
	fprintf(to, "deadheat: %zu new, %zu gone, %zu still there\n", added, gone, still);
}
