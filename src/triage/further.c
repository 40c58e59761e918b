/* SPDX-License-Identifier: MIT */
/* The accesses of a finding with those that were added to it; see finding.h. */
#include "triage/finding.h"

static bool same_line(const struct dh_finding_frame *a, const struct dh_finding_frame *b)
{
	if (a == b)
		return true;
	return a->line && a->line == b->line && a->file == b->file &&
	       a->function == b->function;
}

/* The same calls and lines: the read and the write of `x++` are one place. */
static bool same_place(const struct dh_finding_access *a,
		       const struct dh_finding_access *b)
{
	const struct dh_finding_stack *x = a->stack, *y = b->stack;
	if (x == y)
		return true;
	if (x->len != y->len)
		return false;
	for (uint32_t i = 0; i < x->len; i++)
		if (!same_line(x->at[i], y->at[i]))
			return false;
	return true;
}

static size_t add(struct dh_finding_place *to, size_t len, const struct dh_finding *race,
		  const struct dh_finding_access *a)
{
	for (size_t i = 0; i < len; i++)
		if (same_place(to[i].access, a))
			return len;
	if (len == DH_FINDING_MOST)
		return len;
	to[len] = (struct dh_finding_place){race, a};
	return len + 1;
}

size_t dh_finding_places(const struct dh_finding *f, struct dh_finding_place *to)
{
	size_t len = 0;
	if (f->has_first)
		to[len++] = (struct dh_finding_place){f, &f->first};
	to[len++] = (struct dh_finding_place){f, &f->second};
	for (const struct dh_finding *r = f->further; r; r = r->further) {
		if (r->has_first)
			len = add(to, len, r, &r->first);
		len = add(to, len, r, &r->second);
	}
	return len;
}
