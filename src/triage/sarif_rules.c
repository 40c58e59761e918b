/* SPDX-License-Identifier: MIT */
/*
 * The rules of the SARIF report: what one reads in place of a manual when a race comes
 * up in a code review. The rule of a result is its most harmful pattern; how sure it is
 * stands in the result, as its level.
 */
#define _GNU_SOURCE /* asprintf */
#include "triage/sarif.h"

#include <stdio.h>
#include <stdlib.h>

static const struct dh_pattern_text no_pattern = {
    "data-race",
    "two threads use the same memory, one writes, and nothing orders them",
    "Find out which lock or message is meant to order the two accesses and use it on "
    "both "
    "sides; where the value stands alone, an atomic is enough.",
};

/* What all rules say besides their advice. */
static const char about[] =
    "A data race is a pair of accesses to the same memory by two threads, at least one "
    "of them a write, with nothing that orders them. In C and C++ its outcome is "
    "undefined: compilers move and split such accesses, and what worked in one build "
    "fails in the next.";

static const struct dh_pattern_text *text_of(uint32_t rule)
{
	return rule < DH_PATTERNS ? &dh_pattern_texts[rule] : &no_pattern;
}

uint32_t dh_sarif_rule(const struct dh_cause *c)
{
	return c->patterns_len ? c->patterns[0].kind : DH_PATTERNS;
}

const char *dh_sarif_rule_id(uint32_t rule)
{
	return text_of(rule)->name;
}

/* The catalogue of weaknesses has a number for some. */
static const char *weakness(uint32_t rule)
{
	switch (rule) {
	case DH_PATTERN_USE_AFTER_FREE:
		return "external/cwe/cwe-416";
	case DH_PATTERN_MISSING_LOCK:
		return "external/cwe/cwe-667";
	case DH_PATTERN_DOUBLE_CHECKED:
		return "external/cwe/cwe-609";
	}
	return "external/cwe/cwe-362";
}

static void help(struct dh_sarif *s, const struct dh_pattern_text *t)
{
	static const char grades[] =
	    "The level of a result is its grade:\n\n"
	    "- error: observed, nothing ordered the two accesses in the run;\n"
	    "- warning: predicted, there is a schedule that has the race;\n"
	    "- note: potential, no lock was common and the order was luck.\n";
	char *text = NULL, *markdown = NULL;
	if (asprintf(&text, "Data race: %s.\n\n%s\n\n%s\n\n%s", t->title, t->advice,
		     about, grades) < 0 ||
	    asprintf(&markdown,
		     "# Data race: %s\n\n## What to do\n\n%s\n\n## What it is\n\n%s\n\n"
		     "## How sure it is\n\n%s",
		     t->title, t->advice, about, grades) < 0)
		abort();
	dh_json_open(&s->j, "help", '{');
	dh_json_text(&s->j, "text", text);
	dh_json_text(&s->j, "markdown", markdown);
	dh_json_close(&s->j, '}');
	free(text);
	free(markdown);
}

static void properties(struct dh_sarif *s, uint32_t rule)
{
	dh_json_open(&s->j, "properties", '{');
	dh_json_open(&s->j, "tags", '[');
	dh_json_text(&s->j, NULL, "concurrency");
	dh_json_text(&s->j, NULL, "correctness");
	dh_json_text(&s->j, NULL, weakness(rule));
	dh_json_close(&s->j, ']');
	dh_json_text(&s->j, "precision", "very-high");
	dh_json_close(&s->j, '}');
}

void dh_sarif_rules(struct dh_sarif *s)
{
	dh_json_open(&s->j, "rules", '[');
	for (uint32_t rule = 0; rule <= DH_PATTERNS; rule++) {
		const struct dh_pattern_text *t = text_of(rule);
		dh_json_open(&s->j, NULL, '{');
		dh_json_text(&s->j, "id", t->name);
		dh_sarif_say(s, "shortDescription", "Data race: %s.", t->title);
		dh_sarif_say(s, "fullDescription", "Data race: %s. %s", t->title,
			     t->advice);
		dh_json_open(&s->j, "defaultConfiguration", '{');
		dh_json_text(&s->j, "level", "error");
		dh_json_close(&s->j, '}');
		help(s, t);
		properties(s, rule);
		dh_json_close(&s->j, '}');
	}
	dh_json_close(&s->j, ']');
}
