/* SPDX-License-Identifier: MIT */
/*
 * A report as SARIF 2.1.0, for code review and editors: a result for each cause, placed
 * at the later access, the earlier one linked from its message. docs/formats/sarif.md.
 */
#include "triage/render.h"
#include "triage/sarif.h"
#include "triage/describe.h"
#include "triage/names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { AROUND = 3 }; /* lines of source before and after a racing one */

/* ---- messages ---- */

/* Viewers take [words](1) for a link: brackets of names must not look like one. */
static void without_links(FILE *to, const char *text)
{
	for (; *text; text++) {
		if (strchr("[]\\", *text))
			fputc('\\', to);
		fputc(*text, to);
	}
}

static void side(FILE *to, const struct dh_finding_access *a)
{
	struct dh_phrase function = dh_describe_function(a);
	without_links(to, dh_describe_access(a).text);
	if (function.text[0]) {
		fputs(" in ", to);
		without_links(to, function.text);
	}
}

static void patterns(FILE *to, const struct dh_cause *c)
{
	for (size_t i = 0; i < c->patterns_len; i++) {
		fprintf(to, " Pattern: %s; ",
			dh_pattern_texts[c->patterns[i].kind].title);
		without_links(to, c->patterns[i].because);
		fputc('.', to);
	}
	if (c->patterns_len)
		fprintf(to, " %s", dh_pattern_texts[c->patterns[0].kind].advice);
}

/* The first sentence has to do by itself: it is the title in a list. */
static void message(struct dh_sarif *s, const struct dh_cause *c, bool linked)
{
	const struct dh_finding *f = c->variants[0].sample;
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);
	fputs("Data race on ", to);
	without_links(to, dh_describe_object(f).text);
	fputs(": ", to);
	side(to, &f->second);
	if (f->has_first) {
		fputs(linked ? ", earlier [" : ", earlier ", to);
		side(to, &f->first);
		fputs(linked ? "](1)" : "", to);
	}
	fprintf(to, ". %s", dh_describe_grade(c->grade));
	patterns(to, c);
	if (f->further)
		fputs(" Other places use it in the same way; they are linked.", to);
	if (c->variants_len > 1)
		fprintf(to, " The same cause has %zu variants.", c->variants_len);
	fclose(to);
	dh_sarif_say(s, "message", "%s", text);
	free(text);
}

/* ---- locations ---- */

/* Where an access is shown: where it goes by, or the innermost frame with a file. */
static const struct dh_finding_frame *shown(const struct dh_finding_access *a)
{
	const struct dh_finding_frame *where = dh_stack_where(a->stack);
	if (where && where->file)
		return where;
	for (uint32_t i = 0; i < a->stack->len; i++)
		if (a->stack->at[i]->file)
			return a->stack->at[i];
	return where && where->module ? where : NULL;
}

/* Without any source or module, the line of the findings has to do: a result needs a
 * place. What the line says is not shown: it can be one for all findings of a trace. */
static void locations(struct dh_sarif *s, const struct dh_finding *f)
{
	const struct dh_finding_frame *at = shown(&f->second);
	if (!at && f->has_first)
		at = shown(&f->first);
	struct dh_finding_frame line = {.file = f->run->file, .line = (uint32_t)f->line};
	dh_json_open(&s->j, "locations", '[');
	dh_json_open(&s->j, NULL, '{');
	dh_sarif_place(s, at ? at : &line, at ? AROUND : 0, f->run);
	dh_json_close(&s->j, '}');
	dh_json_close(&s->j, ']');
}

static void related(struct dh_sarif *s, const struct dh_finding *f, uint64_t id,
		    const struct dh_finding_frame *at, const char *what)
{
	if (!at || !(at->file || at->module))
		return;
	dh_json_open(&s->j, NULL, '{');
	dh_json_number(&s->j, "id", id);
	dh_sarif_place(s, at, id == 1 ? AROUND : 0, f->run);
	dh_sarif_say(s, "message", "%s", what);
	dh_json_close(&s->j, '}');
}

/* Accesses that were added to the two. */
static uint64_t further(struct dh_sarif *s, const struct dh_finding *f, uint64_t id)
{
	struct dh_finding_place places[DH_FINDING_MOST];
	size_t len = dh_finding_places(f, places);
	for (size_t i = f->has_first ? 2 : 1; i < len; i++) {
		struct dh_phrase what = dh_describe_access(places[i].access);
		size_t end = strlen(what.text);
		snprintf(what.text + end, sizeof what.text - end,
			 ": a further access to it");
		related(s, f, ++id, shown(places[i].access), what.text);
	}
	return id;
}

static void related_locations(struct dh_sarif *s, const struct dh_finding *f)
{
	const struct dh_finding_object *o = &f->object;
	struct dh_finding_frame declared = {.file = o->variable.file,
					    .line = o->variable.line};
	uint64_t id = 1;
	dh_json_open(&s->j, "relatedLocations", '[');
	if (f->has_first)
		related(s, f, id, shown(&f->first), "the earlier access");
	id = further(s, f, id);
	related(s, f, ++id, &declared, "the variable is declared here");
	if (o->allocated)
		related(s, f, ++id, dh_stack_where(o->allocated),
			"the block was allocated here");
	if (o->freed)
		related(s, f, ++id, dh_stack_where(o->freed), "the block was freed here");
	for (size_t i = 0; i < f->threads_len; i++)
		if (f->threads[i].created)
			related(s, f, ++id, dh_stack_where(f->threads[i].created),
				"a thread was created here");
	dh_json_close(&s->j, ']');
}

/* ---- results ---- */

static const char *level(enum dh_grade grade)
{
	return grade == DH_OBSERVED    ? "error"
	       : grade == DH_PREDICTED ? "warning"
				       : "note";
}

/* GitHub knows a result by primaryLocationLineHash alone, and would make it of the
 * line's text: ours also stays the same when the line is edited. */
static void fingerprints(struct dh_sarif *s, const struct dh_cause *c)
{
	char text[32];
	snprintf(text, sizeof text, "%s:1", c->id.text);
	dh_json_open(&s->j, "partialFingerprints", '{');
	dh_json_text(&s->j, "deadheat/v1", c->id.text);
	dh_json_text(&s->j, "primaryLocationLineHash", text);
	dh_json_close(&s->j, '}');
}

/* A time as the schema wants it: "2026-11-15T08:45:42Z". */
static bool is_time(const char *t)
{
	if (!t || strlen(t) != 20)
		return false;
	for (const char *p = "dddd-dd-ddTdd:dd:ddZ"; *p; p++, t++)
		if (*p == 'd' ? *t < '0' || *t > '9' : *t != *p)
			return false;
	return true;
}

static void time_if(struct dh_sarif *s, const char *key, const struct dh_finding_run *run)
{
	if (run && is_time(run->time))
		dh_json_text(&s->j, key, run->time);
}

static void properties(struct dh_sarif *s, const struct dh_cause *c)
{
	const struct dh_finding *f = c->variants[0].sample;
	dh_json_open(&s->j, "properties", '{');
	dh_json_text(&s->j, "grade", dh_grade_text(c->grade));
	if (f->run->engine)
		dh_json_text(&s->j, "engine", f->run->engine);
	dh_json_number(&s->j, "runs", c->seen.runs);
	dh_json_open(&s->j, "patterns", '[');
	for (size_t i = 0; i < c->patterns_len; i++)
		dh_json_text(&s->j, NULL, dh_sarif_rule_id(c->patterns[i].kind));
	dh_json_close(&s->j, ']');
	dh_json_open(&s->j, "variants", '[');
	for (size_t i = 0; i < c->variants_len; i++)
		dh_json_text(&s->j, NULL, c->variants[i].id.text);
	dh_json_close(&s->j, ']');
	dh_json_close(&s->j, '}');
}

/* Of a cause that is suppressed; its variants may fall under different rules. */
static void suppressions(struct dh_sarif *s, const struct dh_cause *c)
{
	dh_json_open(&s->j, "suppressions", '[');
	for (size_t i = 0; i < c->variants_len; i++) {
		const char *rule = c->variants[i].sample->suppressed;
		size_t k = 0;
		while (c->variants[k].sample->suppressed != rule)
			k++;
		if (k < i)
			continue;
		dh_json_open(&s->j, NULL, '{');
		dh_json_text(&s->j, "kind", "external");
		dh_json_text(&s->j, "justification", rule);
		dh_json_close(&s->j, '}');
	}
	dh_json_close(&s->j, ']');
}

static void result(struct dh_sarif *s, const struct dh_cause *c, uint64_t rank)
{
	const struct dh_finding *f = c->variants[0].sample;
	uint32_t rule = dh_sarif_rule(c);
	dh_json_open(&s->j, NULL, '{');
	dh_json_text(&s->j, "ruleId", dh_sarif_rule_id(rule));
	dh_json_number(&s->j, "ruleIndex", rule);
	dh_json_text(&s->j, "level", level(c->grade));
	message(s, c, f->has_first && shown(&f->first));
	locations(s, f);
	related_locations(s, f);
	dh_sarif_flows(s, c);
	dh_sarif_stacks(s, f);
	fingerprints(s, c);
	if (f->suppressed)
		suppressions(s, c);
	else if (s->causes->has_baseline)
		dh_json_text(&s->j, "baselineState", c->is_new ? "new" : "unchanged");
	dh_json_number(&s->j, "occurrenceCount", c->seen.count);
	dh_json_number(&s->j, "rank", rank);
	dh_json_open(&s->j, "provenance", '{');
	time_if(s, "firstDetectionTimeUtc", c->seen.first);
	time_if(s, "lastDetectionTimeUtc", c->seen.last);
	dh_json_close(&s->j, '}');
	properties(s, c);
	dh_json_close(&s->j, '}');
}

/* ---- the run ---- */

static void notification(struct dh_sarif *s, const struct dh_finding_run *run,
			 const char *what, uint64_t count)
{
	const char *name = run->trace ? run->trace : run->file;
	dh_json_open(&s->j, NULL, '{');
	dh_json_text(&s->j, "level", "warning");
	if (count)
		dh_sarif_say(s, "message", "%s, process %" PRIu64 ", lost: %s %" PRIu64,
			     name, run->process, what, count);
	else
		dh_sarif_say(s, "message", "%s, process %" PRIu64 ": %s", name,
			     run->process, what);
	dh_json_close(&s->j, '}');
}

static void losses(struct dh_sarif *s, const struct dh_finding_run *run)
{
	for (size_t i = 0; i < run->losses_len; i++)
		notification(s, run, run->losses[i].name, run->losses[i].count);
	if (!run->complete)
		notification(s, run, "cut off; what it had not told is not here", 0);
	if (run->damage)
		notification(s, run, run->damage, 0);
}

static void invocations(struct dh_sarif *s)
{
	const struct dh_findings *from = s->causes->from;
	dh_json_open(&s->j, "invocations", '[');
	dh_json_open(&s->j, NULL, '{');
	dh_json_bool(&s->j, "executionSuccessful", true);
	dh_json_number(&s->j, "exitCode", (uint64_t)s->o->status);
	if (s->o->folder)
		dh_sarif_folder(s, "workingDirectory", s->o->folder);
	dh_json_open(&s->j, "toolExecutionNotifications", '[');
	for (size_t i = 0; i < dh_findings_runs(from); i++)
		losses(s, dh_findings_run(from, i));
	dh_json_close(&s->j, ']');
	dh_json_close(&s->j, '}');
	dh_json_close(&s->j, ']');
}

static void tool(struct dh_sarif *s)
{
	dh_json_open(&s->j, "tool", '{');
	dh_json_open(&s->j, "driver", '{');
	dh_json_text(&s->j, "name", "Deadheat");
	dh_json_text(&s->j, "version", DH_VERSION);
	dh_json_text(&s->j, "semanticVersion", DH_VERSION);
	dh_sarif_rules(s);
	dh_json_close(&s->j, '}');
	dh_json_close(&s->j, '}');
}

static void results(struct dh_sarif *s)
{
	const struct dh_causes *c = s->causes, *suppressed = s->o->suppressed;
	dh_json_open(&s->j, "results", '[');
	for (size_t i = 0; i < c->len; i++)
		if (!s->o->only || s->o->only == &c->at[i])
			result(s, &c->at[i], 100 - 99 * i / c->len);
	for (size_t i = 0; suppressed && i < suppressed->len; i++)
		result(s, &suppressed->at[i], 0);
	dh_json_close(&s->j, ']');
}

static void run(struct dh_sarif *s)
{
	dh_json_open(&s->j, NULL, '{');
	tool(s);
	invocations(s);
	if (s->o->folder) {
		dh_json_open(&s->j, "originalUriBaseIds", '{');
		dh_sarif_folder(s, "SRCROOT", s->o->folder);
		dh_json_close(&s->j, '}');
	}
	dh_json_text(&s->j, "columnKind", "utf16CodeUnits");
	results(s);
	dh_json_close(&s->j, '}');
}

void dh_render_causes_sarif(FILE *to, const struct dh_causes *c,
			    const struct dh_render_options *o)
{
	struct dh_sarif s = {.j = {.to = to}, .causes = c, .o = o};
	dh_json_open(&s.j, NULL, '{');
	dh_json_text(&s.j, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	dh_json_text(&s.j, "version", "2.1.0");
	dh_json_open(&s.j, "runs", '[');
	run(&s);
	dh_json_close(&s.j, ']');
	dh_json_close(&s.j, '}');
	fputc('\n', to);
}
