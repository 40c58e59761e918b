/* SPDX-License-Identifier: MIT */
/*
 * The oracle test: feeds random traces to every engine, alone, all together, and
 * behind the filters, and holds their reports against naive oracles.
 *
 *   run_oracle [COUNT [SEED]]      COUNT traces (400), from SEED (1) upwards
 *
 * A failing trace is cut down to a small one that fails the same subject and
 * printed in the text format, with its seed; then the exit status is 1.
 */
#include "event/stream.h"
#include "generate.h"
#include "registry/registry.h"
#include "subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	SUBJECTS = 64,
	SMALL_LIMIT = 6, /* histories of a filter that has to forget all the time */
};

/* ---- feeding ---- */

struct run {
	struct outcome *outcomes; /* one for each engine, in the stream's order */
};

static void on_race(void *context, struct dh_engine *e, const struct dh_race *race)
{
	struct outcome *o = ((struct run *)context)->outcomes;
	for (size_t i = 0; e->stream->engines.at[i] != e; i++)
		o++;
	if (o->count == OUTCOME_RACES)
		o->lost = true;
	else
		o->at[o->count++] = *race;
}

static void on_event(void *context, const struct dh_event *ev)
{
	((struct run *)context)->outcomes[0].passed[ev->index] = true;
}

/* Feeds the trace to the engines; returns how many bytes they did not give back. */
static size_t feed(const struct trace *t, const struct dh_engine_ops *const *engines,
		   size_t count, const struct dh_filter_ops *filter, uint32_t limit,
		   struct outcome *out)
{
	size_t memory = dh_mem_in_use();
	struct run run = {out};
	struct dh_stream *s = dh_stream_new(&(struct dh_stream_config){
	    .on_race = on_race, .on_event = on_event, .context = &run});
	for (size_t i = 0; i < count; i++) {
		out[i].count = 0;
		out[i].lost = false;
		memset(out[i].passed, 0, sizeof out[i].passed);
		dh_stream_add(s, engines[i]);
	}
	if (filter)
		dh_stream_set_filter(s, filter)->limit = limit;
	for (uint32_t i = 0; i < t->count; i++)
		if (!t->at[i].nested)
			dh_stream_feed(s, &t->at[i]);
	dh_stream_free(s);
	return dh_mem_in_use() - memory;
}

/* ---- examining ---- */

static struct naive naive;
static struct outcome alone[SUBJECTS], together[SUBJECTS];

/* The outcome of this engine without a filter. */
static const struct outcome *plain_of(const struct subject *s)
{
	for (size_t i = 0; !subjects[i].filter; i++)
		if (strcmp(subjects[i].engine, s->engine) == 0)
			return &alone[i];
	return NULL;
}

static void compare(struct exam *x, const struct subject *s, const struct outcome *got)
{
	x->got = got;
	x->plain = plain_of(s);
	s->compare(x, s);
}

static void examine(struct exam *x, const struct trace *t, size_t k, uint32_t limit)
{
	const struct subject *s = &subjects[k];
	const struct dh_engine_ops *engine = dh_engine_find(s->engine);
	const struct dh_filter_ops *filter = s->filter ? dh_filter_find(s->filter) : NULL;
	size_t leaked = feed(t, &engine, 1, filter, limit, &alone[k]);
	x->checks++;
	if (leaked) {
		x->failed = true;
		snprintf(x->why, sizeof x->why, "%zu bytes are not given back", leaked);
		return;
	}
	compare(x, s, &alone[k]);
	if (x->failed && limit) {
		size_t n = strlen(x->why);
		snprintf(x->why + n, sizeof x->why - n, " (at most %u histories)", limit);
	}
}

static void feed_together(const struct trace *t)
{
	const struct dh_engine_ops *engines[SUBJECTS];
	size_t count = 0;
	for (; !subjects[count].filter; count++)
		engines[count] = dh_engine_find(subjects[count].engine);
	feed(t, engines, count, NULL, 0, together);
}

/* All subjects on a trace. Returns the subject that failed, or -1. */
static int examine_all(struct exam *x, const struct trace *t)
{
	naive_build(&naive, t);
	x->naive = &naive;
	feed_together(t);
	for (int k = 0; subjects[k].engine && !x->failed; k++) {
		examine(x, t, (size_t)k, 0);
		if (subjects[k].filter && !x->failed)
			examine(x, t, (size_t)k, SMALL_LIMIT);
		else if (!x->failed)
			compare(x, &subjects[k], &together[k]);
		if (x->failed)
			return k;
	}
	return -1;
}

/* ---- reducing ---- */

static bool fails_still(const struct trace *t, int subject)
{
	struct exam x = {0};
	return examine_all(&x, t) == subject;
}

/* Drops events, many at once at first, as long as the trace stays well formed and
 * the subject keeps failing. */
static void reduce(struct trace *t, int subject)
{
	static struct trace smaller;
	for (uint32_t size = t->count / 2; size > 0;) {
		bool shrunk = false;
		for (uint32_t at = 0; at + size <= t->count;) {
			smaller = *t;
			smaller.count -= size;
			memmove(&smaller.at[at], &t->at[at + size],
				(t->count - at - size) * sizeof t->at[0]);
			if (trace_check(&smaller) && fails_still(&smaller, subject)) {
				*t = smaller;
				shrunk = true;
			} else {
				at++;
			}
		}
		if (!shrunk || size > 1)
			size /= 2;
	}
}

static void show_failure(struct trace *t, int subject, uint64_t seed)
{
	struct exam x = {0};
	reduce(t, subject);
	examine_all(&x, t);
	const struct subject *s = &subjects[subject];
	printf("seed %llu: %s%s%s: %s\n", (unsigned long long)seed, s->engine,
	       s->filter ? " behind " : "", s->filter ? s->filter : "", x.why);
	trace_print(t, stdout);
}

/* An engine that is not linked in is a failure too. */
static bool all_there(void)
{
	bool all = true;
	for (const struct subject *s = subjects; s->engine; s++) {
		if (dh_engine_find(s->engine) &&
		    (!s->filter || dh_filter_find(s->filter)))
			continue;
		printf("not there: %s %s\n", s->engine, s->filter ? s->filter : "");
		all = false;
	}
	return all;
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 0) : 400;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	uint64_t traces = 0, checks = 0, failures = 0;
	static struct trace t;
	if (!all_there())
		return 1;
	for (; traces < count && !failures; traces++) {
		struct generator g;
		struct exam x = {0};
		generator_vary(&g, seed + traces);
		generate(&g, &t);
		int failed = examine_all(&x, &t);
		checks += x.checks;
		if (failed >= 0) {
			failures++;
			show_failure(&t, failed, seed + traces);
		}
	}
	printf("%llu traces, %llu checks, %llu failures\n", (unsigned long long)traces,
	       (unsigned long long)checks, (unsigned long long)failures);
	return failures != 0;
}
