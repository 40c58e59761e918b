/* SPDX-License-Identifier: MIT */
/* See dh_live_findings in live.h. */
#define _GNU_SOURCE
#include "report/live.h"

#include <stdlib.h>

static void empty(struct dh_live_finding *f)
{
	for (size_t i = 0; i < f->lines.len; i++)
		free(f->lines.at[i]);
	dh_vec_free(&f->lines);
	dh_vec_free(&f->stacks);
	free(f->object);
	*f = (struct dh_live_finding){.serial = f->serial};
}

struct dh_live_finding *dh_live_findings_find(const struct dh_live_findings *s,
					      uint64_t serial)
{
	const uint64_t *at = dh_map_get(&s->serials, serial);
	return at ? &s->all.at[*at - 1] : NULL;
}

/* ---- places ---- */

static bool has(const struct dh_live_finding *f, uint64_t hash)
{
	for (size_t i = 0; i < f->stacks.len; i++)
		if (f->stacks.at[i] == hash)
			return true;
	return false;
}

/* What a function of live_text.c writes, as text of the heap's; NULL without memory. */
static char *line_of(const struct dh_live_race *r, const struct dh_live_access *a,
		     const struct dh_live_style *style)
{
	struct dh_live_style plain = {.folder = style->folder};
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);
	if (!to)
		return NULL;
	if (a)
		dh_live_text_access(r, a, &plain, to);
	else
		dh_live_text_object(r, &plain, to);
	fclose(to);
	return text;
}

static bool add(struct dh_live_finding *f, const struct dh_live_race *r,
		const struct dh_live_access *a, const struct dh_live_style *style)
{
	uint64_t hash = dh_live_hash_stack(&a->stack, SIZE_MAX);
	if (!a->stack.len || has(f, hash))
		return false;
	dh_vec_push(&f->stacks, hash);
	dh_vec_push(&f->lines, line_of(r, a, style));
	return true;
}

unsigned dh_live_findings_add(struct dh_live_finding *f, const struct dh_live_race *r,
			      const struct dh_live_style *style)
{
	unsigned sides = add(f, r, &r->second, style) ? DH_LIVE_SECOND : 0;
	return sides | (add(f, r, &r->first, style) ? DH_LIVE_FIRST : 0);
}

/* ---- findings ---- */

struct dh_live_finding *dh_live_findings_begin(struct dh_live_findings *s,
					       const struct dh_live_race *r,
					       const struct dh_live_style *style)
{
	bool fresh;
	uint64_t *at = dh_map_put(&s->serials, r->serial, &fresh);
	if (fresh) {
		dh_vec_push(&s->all, (struct dh_live_finding){.serial = r->serial});
		*at = s->all.len;
	}
	struct dh_live_finding *f = &s->all.at[*at - 1];
	empty(f);
	f->grade = r->grade;
	f->object = line_of(r, NULL, style);
	dh_live_findings_add(f, r, style);
	return f;
}

void dh_live_findings_free(struct dh_live_findings *s)
{
	for (size_t i = 0; i < s->all.len; i++)
		empty(&s->all.at[i]);
	dh_vec_free(&s->all);
	dh_map_free(&s->serials);
}
