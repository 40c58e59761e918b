/* SPDX-License-Identifier: MIT */
/* A report in JSON (docs/formats/report.md), of which a baseline takes the ids. */
#include "triage/findings_internal.h"

#include <stdlib.h>
#include <string.h>

static bool add(struct dh_findings *s, const struct dh_json_value *v, enum dh_grade grade)
{
	const char *id = dh_json_text_of(v);
	if (!id || strlen(id) != 16 || strspn(id, "0123456789abcdef") != 16)
		return dh_findings_fail(s, "a variant without an id of 16 digits");
	dh_vec_push(&s->reported,
		    (struct dh_findings_reported){strtoull(id, NULL, 16), grade});
	return true;
}

static bool variant(struct dh_findings *s, const struct dh_json_value *v)
{
	const struct dh_json_value *others = dh_json_get(v, "other_ids");
	enum dh_grade grade;
	if (!dh_findings_grade(s, v, &grade) || !add(s, dh_json_get(v, "id"), grade))
		return false;
	if (!dh_json_is(others, DH_JSON_ARRAY))
		return true;
	for (const struct dh_json_value *id = dh_json_first(others); id;
	     id = dh_json_next(others, id))
		if (!add(s, id, grade))
			return false;
	return true;
}

bool dh_findings_read_report(struct dh_findings *s, const struct dh_json_value *v)
{
	const struct dh_json_value *causes = dh_json_get(v, "causes");
	if (dh_json_uint(dh_json_get(v, "version"), 0) != 1 ||
	    !dh_json_is(causes, DH_JSON_ARRAY))
		return dh_findings_fail(s, "a report of a version that is not known");
	for (const struct dh_json_value *c = dh_json_first(causes); c;
	     c = dh_json_next(causes, c)) {
		const struct dh_json_value *all = dh_json_get(c, "variants");
		for (const struct dh_json_value *one = dh_json_first(all); one;
		     one = dh_json_next(all, one))
			if (!variant(s, one))
				return false;
	}
	return true;
}
