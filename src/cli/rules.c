/* SPDX-License-Identifier: MIT */
/* See rules.h. */
#include "cli/rules.h"
#include "cli/cmd.h"

#include <inttypes.h>

struct tally {
	struct dh_suppressions *rules;
	const char *done;	     /* what is done with them */
	uint64_t suppressed, before; /* by the rules; when it was found */
};

/* Of a finding that has more than one pair of accesses, all have to be. */
static bool is_suppressed(struct dh_suppressions *rules, const struct dh_finding *f)
{
	bool all = dh_suppress_match(rules, f) != NULL;
	for (const struct dh_finding *r = f->further; all && r; r = r->further)
		all = dh_suppress_match(rules, r) != NULL;
	return all;
}

static bool keep(const struct dh_finding *f, void *with)
{
	struct tally *t = with;
	if (f->suppressed) {
		t->before++;
		return false;
	}
	bool matched = is_suppressed(t->rules, f);
	t->suppressed += matched;
	return !matched;
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void tell(const struct tally *t)
{
	uint64_t used = 0;
	for (size_t i = 0; i < dh_suppress_count(t->rules); i++)
		used += dh_suppress_at(t->rules, i)->used != 0;
	if (t->before)
		fprintf(stderr,
			"deadheat: %s %" PRIu64 " finding%s, suppressed when found\n",
			t->done, t->before, plural(t->before));
	if (t->suppressed)
		fprintf(stderr,
			"deadheat: %s %" PRIu64 " finding%s, suppressed by %" PRIu64
			" rule%s\n",
			t->done, t->suppressed, plural(t->suppressed), used,
			plural(used));
	for (size_t i = 0; i < dh_suppress_count(t->rules); i++) {
		const struct dh_suppress_rule *r = dh_suppress_at(t->rules, i);
		if (!r->used && !r->elsewhere)
			fprintf(stderr, "deadheat: %s:%" PRIu32 ": %s%s%s\n", r->file,
				r->line, r->text, r->idle ? ": " : " was not used",
				r->idle ? r->idle : "");
	}
}

/* Those that were taken out get the rule that did it. */
static void note_rules(struct dh_findings *found, struct dh_suppressions *rules)
{
	dh_findings_turn(found);
	for (size_t i = 0; i < dh_findings_count(found); i++) {
		const struct dh_finding *f = dh_findings_at(found, i);
		if (!f->suppressed)
			dh_findings_suppress(found, i, dh_suppress_match(rules, f)->text);
	}
	dh_findings_turn(found);
}

int dh_rules_apply(struct dh_findings *found, const char *const *files, size_t count,
		   bool marked)
{
	struct tally t = {
	    .rules = dh_suppress_new(),
	    .done = marked ? "marked" : "left out",
	};
	int status = 0;
	for (size_t i = 0; i < count && !status; i++)
		if (dh_suppress_read(t.rules, files[i]) < 0)
			status = dh_usage_error("%s", dh_suppress_error(t.rules));
	if (!status) {
		dh_findings_filter(found, keep, &t);
		tell(&t);
		note_rules(found, t.rules);
	}
	dh_suppress_free(t.rules);
	return status;
}

void dh_rules_suggest(const struct dh_findings *found, FILE *to)
{
	struct dh_map seen = {0};
	for (size_t i = 0; i < dh_findings_count(found); i++)
		for (const struct dh_finding *f = dh_findings_at(found, i); f;
		     f = f->further)
			dh_suppress_suggest(f, &seen, to);
	dh_map_free(&seen);
}
