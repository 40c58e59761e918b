/* SPDX-License-Identifier: MIT */
/* What the readers of findings share: texts, grades, frames, variables. */
#include "triage/findings_internal.h"

#include <stdlib.h>
#include <string.h>

const char *dh_findings_text(struct dh_findings *s, const struct dh_json_value *v)
{
	return dh_json_is(v, DH_JSON_TEXT) && v->len
		   ? dh_pool_text(&s->pool, v->text, v->len)
		   : NULL;
}

const char *dh_findings_digits(struct dh_findings *s, const struct dh_json_value *v)
{
	return dh_json_is(v, DH_JSON_NUMBER) ? dh_pool_text(&s->pool, v->text, v->len)
					     : NULL;
}

bool dh_findings_grade(struct dh_findings *s, const struct dh_json_value *race,
		       enum dh_grade *grade)
{
	const char *text = dh_json_text_of(dh_json_get(race, "grade"));
	if (!text)
		return dh_findings_fail(s, "a race without a grade");
	for (int g = DH_OBSERVED; g <= DH_PREDICTED; g++)
		if (strcmp(text, dh_grade_text((enum dh_grade)g)) == 0) {
			*grade = (enum dh_grade)g;
			return true;
		}
	return dh_findings_fail(s, "a race of a grade that is not known: observed, "
				   "predicted and potential are");
}

size_t dh_findings_length(const struct dh_json_value *v)
{
	size_t n = 0;
	for (const struct dh_json_value *c = dh_json_first(v); c; c = dh_json_next(v, c))
		n++;
	return n;
}

/* ---- frames ---- */

static bool is_key(const struct dh_json_value *v, const char *key)
{
	return strcmp(v->key, key) == 0;
}

/* Members come in any order; each is looked at once. */
static const struct dh_finding_frame *frame(struct dh_findings *s,
					    const struct dh_json_value *v)
{
	struct dh_finding_frame f = {0};
	const struct dh_json_value *c =
	    dh_json_is(v, DH_JSON_OBJECT) ? dh_json_first(v) : NULL;
	for (; c; c = dh_json_next(v, c)) {
		switch (c->key[0]) {
		case 'f':
			if (is_key(c, "function"))
				f.function = dh_findings_text(s, c);
			else if (is_key(c, "file"))
				f.file = dh_findings_text(s, c);
			else if (is_key(c, "folded"))
				f.folded = c->type == DH_JSON_TRUE;
			break;
		case 'l':
			if (is_key(c, "line"))
				f.line = (uint32_t)dh_json_uint(c, 0);
			else if (is_key(c, "lost"))
				f.lost = c->type == DH_JSON_TRUE;
			break;
		case 'm':
			if (is_key(c, "module"))
				f.module = dh_findings_text(s, c);
			break;
		case 'o':
			if (is_key(c, "offset") && c->type == DH_JSON_TEXT)
				f.offset = strtoull(c->text, NULL, 16);
			break;
		case 'c':
			if (is_key(c, "column"))
				f.column = (uint32_t)dh_json_uint(c, 0);
			break;
		case 'i':
			if (is_key(c, "inlined"))
				f.inlined = c->type == DH_JSON_TRUE;
			break;
		}
	}
	if (f.file && f.line)
		f.offset = 0;
	return dh_pool_frame(&s->pool, &f);
}

const struct dh_finding_stack *dh_findings_stack(struct dh_findings *s,
						 const struct dh_json_value *v)
{
	if (!dh_json_is(v, DH_JSON_ARRAY))
		return NULL;
	s->frames.len = 0;
	for (const struct dh_json_value *c = dh_json_first(v); c; c = dh_json_next(v, c))
		dh_vec_push(&s->frames, frame(s, c));
	return dh_pool_stack(&s->pool, s->frames.at, (uint32_t)s->frames.len);
}

/* The number after the last colon of text[0, *len), which becomes shorter by it; 0 where
 * there is none. */
static uint32_t cut_number(const char *text, size_t *len)
{
	size_t i = *len;
	while (i > 0 && text[i - 1] >= '0' && text[i - 1] <= '9')
		i--;
	if (i == *len || i < 2 || text[i - 1] != ':' || *len - i > 9)
		return 0;
	*len = i - 1;
	return (uint32_t)strtoul(text + i, NULL, 10);
}

const struct dh_finding_stack *dh_findings_place(struct dh_findings *s, const char *loc)
{
	struct dh_finding_frame f = {0};
	size_t len = loc ? strlen(loc) : 0;
	if (!len)
		return dh_pool_stack(&s->pool, NULL, 0);
	uint32_t last = cut_number(loc, &len), before = last ? cut_number(loc, &len) : 0;
	f.line = before ? before : last;
	f.column = before ? last : 0;
	*(f.line ? &f.file : &f.function) = dh_pool_text(&s->pool, loc, len);
	const struct dh_finding_frame *one = dh_pool_frame(&s->pool, &f);
	return dh_pool_stack(&s->pool, &one, 1);
}

struct dh_finding_variable dh_findings_variable(struct dh_findings *s,
						const struct dh_json_value *v)
{
	return (struct dh_finding_variable){
	    .name = dh_findings_text(s, dh_json_get(v, "name")),
	    .part = dh_findings_text(s, dh_json_get(v, "part")),
	    .field = dh_findings_text(s, dh_json_get(v, "field")),
	    .module = dh_findings_text(s, dh_json_get(v, "module")),
	    .file = dh_findings_text(s, dh_json_get(v, "file")),
	    .line = (uint32_t)dh_json_uint(dh_json_get(v, "line"), 0),
	    .size = dh_json_uint(dh_json_get(v, "size"), 0),
	    .offset = dh_json_uint(dh_json_get(v, "offset"), 0),
	};
}
