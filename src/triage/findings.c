/* SPDX-License-Identifier: MIT */
/* The set of findings.h: files to lines, lines to their readers, and what was read. */
#define _GNU_SOURCE
#include "triage/findings_internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct dh_findings *dh_findings_new(void)
{
	struct dh_findings *s = dh_mem_alloc(sizeof *s);
	return s;
}

void dh_findings_free(struct dh_findings *s)
{
	if (!s)
		return;
	dh_pool_free(&s->pool);
	dh_vec_free(&s->findings);
	dh_vec_free(&s->aside);
	dh_vec_free(&s->runs);
	dh_vec_free(&s->reported);
	dh_vec_free(&s->frames);
	dh_json_reader_free(&s->json);
	dh_map_free(&s->processes);
	dh_map_free(&s->serials);
	free(s->error);
	dh_mem_free(s, sizeof *s);
}

/* ---- errors ---- */

const char *dh_findings_error(const struct dh_findings *s)
{
	return s->error ? s->error : "out of memory";
}

static void set_error(struct dh_findings *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void set_error(struct dh_findings *s, const char *format, ...)
{
	va_list args;
	free(s->error);
	va_start(args, format);
	if (vasprintf(&s->error, format, args) < 0)
		s->error = NULL;
	va_end(args);
}

bool dh_findings_fail(struct dh_findings *s, const char *format, ...)
{
	char *what;
	va_list args;
	va_start(args, format);
	if (vasprintf(&what, format, args) < 0)
		what = NULL;
	va_end(args);
	set_error(s, "%s:%llu: %s", s->file, (unsigned long long)s->line,
		  what ? what : "out of memory");
	free(what);
	return false;
}

/* ---- lines ---- */

static bool fail_as_other(struct dh_findings *s)
{
	return dh_findings_fail(s, "this is no result of `deadheat run --json`, "
				   "`deadheat analyze --format json` or `deadheat "
				   "predict --format json`");
}

static bool dispatch(struct dh_findings *s, const struct dh_json_value *v)
{
	static const struct {
		const char *type;
		bool (*read)(struct dh_findings *s, const struct dh_json_value *v);
	} kinds[] = {
	    {"race", dh_findings_read_race},	 {"evidence", dh_findings_read_evidence},
	    {"run", dh_findings_read_run},	 {"summary", dh_findings_read_summary},
	    {"report", dh_findings_read_report}, {"further", dh_findings_read_further},
	};
	const char *type = dh_json_text_of(dh_json_get(v, "type"));
	for (size_t i = 0; type && i < DH_ARRAY_LEN(kinds); i++)
		if (strcmp(type, kinds[i].type) == 0)
			return kinds[i].read(s, v);
	if (type)
		return true; /* of a later version: passed over, as the format asks */
	if (dh_json_get(v, "engines"))
		return dh_findings_read_analysis(s, v);
	if (dh_json_get(v, "races"))
		return dh_findings_read_prediction(s, v);
	return fail_as_other(s);
}

static bool blank(const char *line, size_t len)
{
	while (len > 0 &&
	       (line[len - 1] == ' ' || line[len - 1] == '\t' || line[len - 1] == '\r'))
		len--;
	return len == 0;
}

/* One line without its newline. whole: it had one. */
static int read_line(struct dh_findings *s, char *line, size_t len, bool whole)
{
	s->line++;
	if (blank(line, len))
		return 0;
	const struct dh_json_value *v = dh_json_read(&s->json, line, len);
	if (v)
		return dispatch(s, v) ? 0 : -1;
	if (s->json.cut && !whole) {
		dh_findings_fail(s, "the last line is cut short; what came before it is "
				    "in the report");
		return 1;
	}
	if (s->line == 1 && s->json.at == 0)
		fail_as_other(s);
	else
		dh_findings_fail(s, "byte %zu: %s", s->json.at + 1, s->json.error);
	return -1;
}

static void start_file(struct dh_findings *s, const char *name)
{
	s->file = dh_findings_keep(s, name);
	s->line = 0;
	s->run = NULL;
	dh_map_free(&s->processes);
	dh_map_free(&s->serials);
}

int dh_findings_read(struct dh_findings *s, const char *path)
{
	bool in = strcmp(path, "-") == 0;
	FILE *from = in ? stdin : fopen(path, "re");
	start_file(s, in ? "standard input" : path);
	if (!from) {
		set_error(s, "cannot read %s: %s", path, strerror(errno));
		return -1;
	}
	char *line = NULL;
	size_t cap = 0;
	ssize_t got;
	int result = 0;
	while (result == 0 && (got = getline(&line, &cap, from)) > 0) {
		bool whole = line[got - 1] == '\n';
		size_t len = (size_t)got - whole;
		result = read_line(s, line, len, whole);
	}
	if (result == 0 && ferror(from)) {
		set_error(s, "cannot read %s: %s", path, strerror(errno));
		result = -1;
	}
	free(line);
	if (!in)
		fclose(from);
	return result;
}

int dh_findings_parse(struct dh_findings *s, char *bytes, size_t len, const char *name)
{
	int result = 0;
	start_file(s, name);
	while (result == 0 && len > 0) {
		char *newline = memchr(bytes, '\n', len);
		size_t n = newline ? (size_t)(newline - bytes) : len;
		result = read_line(s, bytes, n, newline);
		bytes += n + (newline != NULL);
		len -= n + (newline != NULL);
	}
	return result;
}

/* ---- the set ---- */

struct dh_finding *dh_findings_add(struct dh_findings *s, struct dh_finding_run *run)
{
	struct dh_finding *f = dh_pool_alloc(&s->pool, sizeof *f);
	f->run = run;
	f->line = s->line;
	run->findings++;
	dh_vec_push(&s->findings, f);
	return f;
}

struct dh_finding_run *dh_findings_add_run(struct dh_findings *s)
{
	struct dh_finding_run *run = dh_pool_alloc(&s->pool, sizeof *run);
	run->number = (uint32_t)s->runs.len;
	run->file = s->file;
	run->line = s->line;
	dh_vec_push(&s->runs, run);
	return run;
}

size_t dh_findings_count(const struct dh_findings *s)
{
	return s->findings.len;
}

const struct dh_finding *dh_findings_at(const struct dh_findings *s, size_t i)
{
	return s->findings.at[i];
}

size_t dh_findings_reported(const struct dh_findings *s)
{
	return s->reported.len;
}

uint64_t dh_findings_reported_as(const struct dh_findings *s, size_t i)
{
	return s->reported.at[i].fingerprint;
}

size_t dh_findings_runs(const struct dh_findings *s)
{
	return s->runs.len;
}

const struct dh_finding_run *dh_findings_run(const struct dh_findings *s, size_t i)
{
	return s->runs.at[i];
}

uint32_t dh_findings_frames(const struct dh_findings *s)
{
	return s->pool.frame_count;
}

uint32_t dh_findings_stacks(const struct dh_findings *s)
{
	return s->pool.stack_count;
}

void dh_findings_filter(struct dh_findings *s,
			bool (*keep)(const struct dh_finding *f, void *with), void *with)
{
	size_t kept = 0;
	for (size_t i = 0; i < s->findings.len; i++)
		if (keep(s->findings.at[i], with))
			s->findings.at[kept++] = s->findings.at[i];
		else
			dh_vec_push(&s->aside, s->findings.at[i]);
	s->findings.len = kept;
}

void dh_findings_turn(struct dh_findings *s)
{
	typeof(s->findings) other;
	memcpy(&other, &s->findings, sizeof other);
	memcpy(&s->findings, &s->aside, sizeof other);
	memcpy(&s->aside, &other, sizeof other);
}

void dh_findings_suppress(struct dh_findings *s, size_t i, const char *rule)
{
	s->findings.at[i]->suppressed = dh_findings_keep(s, rule);
}

const char *dh_findings_keep(struct dh_findings *s, const char *text)
{
	return dh_pool_text(&s->pool, text, strlen(text));
}
