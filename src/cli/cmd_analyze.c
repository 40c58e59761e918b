/* SPDX-License-Identifier: MIT */
/* `deadheat analyze`: runs engines over a trace, all in one pass. */
#define _GNU_SOURCE /* memrchr */
#include "base/map.h"
#include "cli/cmd.h"
#include "cli/progress.h"
#include "event/stream.h"
#include "registry/registry.h"
#include "report/analysis.h"
#include "trace/reader.h"
#include "trace/text.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_ENGINES = 32, PROGRESS_EVERY = 1 << 16 };

static const char help[] =
	"usage: deadheat analyze [OPTIONS] TRACE\n"
	"\n"
	"Looks for races in a recorded trace, text or binary (- is standard input).\n"
	"\n"
	"  -e, --engine NAME[,NAME...]  engines to run in one pass (fasttrack); `all` for\n"
	"                               every detector; `deadheat engines` lists them\n"
	"  -f, --filter NAME            drop redundant accesses first: tree, tree-strict, span\n"
	"      --format text|json       how to print the result (text)\n"
	"      --stats                  with text: the counters of every rule\n"
	"      --granularity field|adaptive\n"
	"                               racetrack: judge each variable alone (field), or start\n"
	"                               with the object `obj` of `obj.field` and refine\n"
	"      --clock-limit N          entries that a weak vector clock keeps at most\n"
	"      --tree-limit N           histories that the filter keeps at most\n"
	"  -q, --quiet                  no progress line\n"
	"  -h, --help                   this text\n"
	"\n"
	"Exit status: 0 no race, 66 races found, 2 bad input or options.\n";

struct settings {
	const struct dh_engine_ops *engines[MAX_ENGINES];
	unsigned engine_count;
	const struct dh_filter_ops *filter;
	unsigned long clock_limit, tree_limit;
	bool json, stats, object_level, quiet;
	const char *trace;
};

/* One run: everything that the callbacks need. */
struct run {
	const struct settings *set;
	struct dh_reader *reader;
	struct dh_stream *stream;
	struct dh_engine *engines[MAX_ENGINES];
	struct dh_analysis analysis;
	struct dh_map last; /* see last_key(): the index of the last race */
	uint32_t grouped; /* variables whose object has been told to the stream */
	struct dh_names *objects; /* numbers for their names */
};

/* ---- options ---- */

static int add_engine(struct settings *s, const char *name)
{
	const struct dh_engine_ops *ops = dh_engine_find(name);
	if (!ops)
		return dh_usage_error("no engine '%s'; `deadheat engines` lists them", name);
	for (unsigned i = 0; i < s->engine_count; i++)
		if (s->engines[i] == ops)
			return 0;
	s->engines[s->engine_count++] = ops;
	return 0;
}

static int add_engines(struct settings *s, char *names)
{
	char *rest = names, *name;
	while ((name = strsep(&rest, ",")) != NULL) {
		int bad = 0;
		if (strcmp(name, "all") != 0)
			bad = add_engine(s, name);
		else
			for (size_t i = 0; dh_engines[i]; i++)
				if (!dh_engines[i]->silent)
					add_engine(s, dh_engines[i]->name);
		if (bad)
			return bad;
	}
	return 0;
}

static int choose(const char *option, const char *text, const char *no, const char *yes,
		  bool *value)
{
	*value = strcmp(text, yes) == 0;
	if (*value || strcmp(text, no) == 0)
		return 0;
	return dh_usage_error("%s takes %s or %s, not '%s'", option, no, yes, text);
}

static int one_option(void *settings, char **argv, int opt)
{
	struct settings *s = settings;
	switch (opt) {
	case 'e':
		return add_engines(s, optarg);
	case 'f':
		s->filter = dh_filter_find(optarg);
		return s->filter ? 0
				 : dh_usage_error("no filter '%s'; `deadheat engines` lists "
						  "them",
						  optarg);
	case 'F':
		return choose("--format", optarg, "text", "json", &s->json);
	case 'g':
		return choose("--granularity", optarg, "field", "adaptive", &s->object_level);
	case 'c':
		return dh_parse_number("--clock-limit", optarg, 2, UINT32_MAX, &s->clock_limit)
			       ? 0
			       : DH_EXIT_USAGE;
	case 't':
		return dh_parse_number("--tree-limit", optarg, 1, UINT32_MAX, &s->tree_limit)
			       ? 0
			       : DH_EXIT_USAGE;
	case 's':
		s->stats = true;
		return 0;
	case 'q':
		s->quiet = true;
		return 0;
	}
	return dh_bad_option(argv, opt);
}

/* 0 to go on, else 1 + the exit status. */
static int parse(int argc, char **argv, struct settings *s)
{
	static const struct option longs[] = {
		{"engine", required_argument, NULL, 'e'},
		{"filter", required_argument, NULL, 'f'},
		{"format", required_argument, NULL, 'F'},
		{"granularity", required_argument, NULL, 'g'},
		{"clock-limit", required_argument, NULL, 'c'},
		{"tree-limit", required_argument, NULL, 't'},
		{"stats", no_argument, NULL, 's'},
		{"quiet", no_argument, NULL, 'q'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int end = dh_parse_options(argc, argv, ":e:f:qh", longs, help, one_option, s);
	if (end)
		return end;
	if (optind + 1 != argc)
		return 1 + dh_usage_error("analyze takes one TRACE; see `deadheat analyze "
					  "--help`");
	s->trace = argv[optind];
	if (s->engine_count == 0)
		add_engine(s, "fasttrack");
	return 0;
}

/* ---- the pass ---- */

/* Of an engine's races, those on a variable. */
static uint64_t last_key(unsigned engine, uint32_t var)
{
	return (uint64_t)engine << 32 | var;
}

static void on_race(void *context, struct dh_engine *e, const struct dh_race *race)
{
	struct run *r = context;
	for (unsigned i = 0; i < r->set->engine_count; i++) {
		struct dh_engine_result *to = &r->analysis.engines.at[i];
		if (r->engines[i] != e)
			continue;
		*dh_map_put(&r->last, last_key(i, race->var), NULL) = to->races.len;
		dh_vec_push(&to->races, *race);
	}
}

/* Of the last race on the variable. */
static void on_further(void *context, struct dh_engine *e, const struct dh_race *race)
{
	struct run *r = context;
	for (unsigned i = 0; i < r->set->engine_count; i++) {
		struct dh_engine_result *to = &r->analysis.engines.at[i];
		const uint64_t *last = dh_map_get(&r->last, last_key(i, race->var));
		if (r->engines[i] == e && last)
			dh_vec_push(&to->further, (struct dh_further){*last, *race});
	}
}

static int by_race(const void *a, const void *b)
{
	const struct dh_further *x = a, *y = b;
	if (x->of != y->of)
		return x->of < y->of ? -1 : 1;
	return x->race.second.index < y->race.second.index ? -1 : 1;
}

static void sort_further(struct dh_engine_result *e)
{
	if (e->further.len)
		qsort(e->further.at, e->further.len, sizeof *e->further.at, by_race);
}

/* The engine `print` writes among the result in text, beside it in JSON. */
static void on_event(void *context, const struct dh_event *ev)
{
	struct run *r = context;
	dh_text_print(r->set->json ? stderr : stdout, ev, dh_reader_names(r->reader));
}

/* Tells the stream the object of each new variable: what stands before the last dot.
 * A name without one is an object of its own; its key has the NUL that ends the text,
 * so that a variable `a` and the object of `a.b` stay apart. */
static void group_variables(struct run *r)
{
	struct dh_names *names = dh_reader_names(r->reader);
	for (; r->grouped < dh_names_count(names, DH_NAME_VAR); r->grouped++) {
		const char *text = dh_names_text(names, DH_NAME_VAR, r->grouped);
		size_t len = dh_names_length(names, DH_NAME_VAR, r->grouped);
		const char *dot = memrchr(text, '.', len);
		size_t key = dot && dot > text ? (size_t)(dot - text) : len + 1;
		uint32_t object = dh_names_intern(r->objects, DH_NAME_VAR, text, key);
		dh_stream_set_object(r->stream, r->grouped, object);
	}
}

static int pass(struct run *r)
{
	struct dh_progress progress = {.off = r->set->quiet};
	struct dh_event ev;
	int got;
	while ((got = dh_reader_next(r->reader, &ev)) > 0) {
		if (r->set->object_level)
			group_variables(r);
		if (!ev.nested)
			dh_stream_feed(r->stream, &ev);
		if (DH_UNLIKELY(ev.index % PROGRESS_EVERY == 0)) {
			uint64_t done, total;
			dh_reader_progress(r->reader, &done, &total);
			dh_progress_show(&progress, done, total, ev.index);
		}
	}
	dh_progress_end(&progress);
	return got;
}

/* ---- the result ---- */

static void counters_of(struct dh_engine_result *to, const void *owner,
			const struct dh_counter *list)
{
	for (; list && list->name; list++) {
		uint64_t value = *(const uint64_t *)((const char *)owner + list->offset);
		dh_vec_push(&to->counters, (struct dh_finding_counter){list->name, value});
	}
}

static void frame_counters(struct dh_engine_result *to, const struct dh_engine *e)
{
	static const struct dh_counter list[] = {
		{"clock_ticks", offsetof(struct dh_order, ticks)},
		{"slots_reused", offsetof(struct dh_order, slots_reused)},
		{"slots_renewed", offsetof(struct dh_order, slots_renewed)},
		{"clock_entries_dropped", offsetof(struct dh_order, entries_dropped)},
		{NULL, 0},
	};
	if (e->ops->needs & (DH_NEEDS_STRONG | DH_NEEDS_WEAK))
		counters_of(to, &e->stream->order, list);
}

static void collect(struct run *r)
{
	struct dh_filter *f = r->stream->filter;
	for (unsigned i = 0; i < r->set->engine_count; i++) {
		struct dh_engine_result *to = &r->analysis.engines.at[i];
		sort_further(to);
		counters_of(to, r->engines[i], r->engines[i]->ops->counters);
		frame_counters(to, r->engines[i]);
		if (f)
			counters_of(to, f, f->ops->counters);
	}
	r->analysis.events = dh_reader_events(r->reader);
	r->analysis.damage = dh_reader_damage(r->reader);
	r->analysis.names = dh_reader_names(r->reader);
}

static int render(const struct run *r)
{
	const struct dh_analysis *a = &r->analysis;
	if (r->set->json)
		dh_render_analysis_json(a, stdout);
	else
		dh_render_analysis_text(a, r->set->stats, isatty(STDOUT_FILENO), stdout);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "deadheat: cannot write the result: %m\n");
		return DH_EXIT_FAILED;
	}
	if (a->damage) {
		fprintf(stderr, "deadheat: %s\n", a->damage);
		return DH_EXIT_USAGE;
	}
	for (size_t i = 0; i < a->engines.len; i++)
		if (a->engines.at[i].races.len)
			return DH_EXIT_RACES;
	return DH_EXIT_OK;
}

static void set_up(struct run *r)
{
	struct dh_stream_config config = {
		.on_race = on_race,
		.on_further = on_further,
		.on_event = on_event,
		.context = r,
		.clock_limit = (uint32_t)r->set->clock_limit,
		.object_level = r->set->object_level,
	};
	r->stream = dh_stream_new(&config);
	r->objects = dh_names_new();
	r->analysis.trace = r->set->trace;
	for (unsigned i = 0; i < r->set->engine_count; i++) {
		r->engines[i] = dh_stream_add(r->stream, r->set->engines[i]);
		dh_vec_push(&r->analysis.engines,
			    (struct dh_engine_result){.engine = r->set->engines[i]->name});
	}
	if (r->set->filter) {
		dh_stream_set_filter(r->stream, r->set->filter)->limit =
			(uint32_t)r->set->tree_limit;
		r->analysis.filter = r->set->filter->name;
	}
}

int dh_cmd_analyze(int argc, char **argv)
{
	struct settings set = {0};
	int stop = parse(argc, argv, &set);
	if (stop)
		return stop - 1;

	struct run r = {.set = &set};
	int status;
	set_up(&r);
	int got = dh_reader_open(&r.reader, set.trace);
	if (got == 0)
		got = pass(&r);
	if (got < 0) {
		status = dh_usage_error("%s", dh_reader_error(r.reader));
	} else {
		collect(&r);
		status = render(&r);
	}
	dh_stream_free(r.stream);
	dh_names_free(r.objects);
	dh_analysis_free(&r.analysis);
	dh_map_free(&r.last);
	dh_reader_close(r.reader);
	return status;
}
