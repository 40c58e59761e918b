/* SPDX-License-Identifier: MIT */
/*
 * trace_bench: what an event costs each engine, in time and memory, over made-up
 * traces (workload.h) that are read from a file as `deadheat analyze` reads them.
 *
 *   mix       a long trace of the usual mix, and 1/10 and 3/10 of its length: cost per
 *             event and memory should not depend on it
 *   threads   SharedSpot and LocalSpot of the Goldilocks paper (Figure 4) for 2 to 512
 *             threads: what an engine pays for more of them
 *
 * Every number is the best of several runs, each in a process of its own. The engine
 * `null` does nothing: its row is the price of reading and of the frame. Memory is
 * what our allocator had handed out at the peak, names of the trace included.
 */
#include "base/mem.h"
#include "event/stream.h"
#include "registry/registry.h"
#include "trace/reader.h"
#include "trace/writer.h"
#include "workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What a run found out. */
struct cost {
	double seconds;
	uint64_t events;
	uint64_t peak; /* bytes */
	uint64_t races;
};

struct plan {
	uint64_t events;      /* of the long trace */
	uint64_t spot_events; /* of each with many threads */
	int rounds;
	const char *only; /* engine, or NULL for all */
	char file[256];
};

static void die(const char *what)
{
	fprintf(stderr, "trace_bench: %s\n", what);
	exit(1);
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- one run ---- */

static void analyze(struct dh_reader *r, const struct dh_engine_ops *ops, struct cost *c)
{
	struct dh_event ev;
	struct dh_stream *s = dh_stream_new(&(struct dh_stream_config){0});
	struct dh_engine *e = dh_stream_add(s, ops);
	while (dh_reader_next(r, &ev) > 0) {
		if (!ev.nested)
			dh_stream_feed(s, &ev);
		if (ev.index % 4096 == 0)
			c->peak = DH_MAX(c->peak, dh_mem_in_use());
	}
	c->peak = DH_MAX(c->peak, dh_mem_in_use());
	c->races = e->races;
	dh_stream_free(s);
}

static void run(const char *file, const struct dh_engine_ops *ops, struct cost *c)
{
	struct dh_reader *r;
	double start = now();
	if (dh_reader_open(&r, file))
		die(dh_reader_error(r));
	analyze(r, ops, c);
	if (dh_reader_error(r))
		die(dh_reader_error(r));
	c->events = dh_reader_events(r);
	dh_reader_close(r);
	c->seconds = now() - start;
}

/* A run in a child, so that one engine's heap is not the next one's. */
static struct cost run_apart(const char *file, const struct dh_engine_ops *ops)
{
	struct cost c = {0};
	int ends[2], status;
	fflush(stdout);
	if (pipe(ends))
		die("no pipe");
	pid_t pid = fork();
	if (pid < 0)
		die("no process");
	if (pid == 0) {
		run(file, ops, &c);
		_exit(write(ends[1], &c, sizeof c) == sizeof c ? 0 : 1);
	}
	close(ends[1]);
	bool whole = read(ends[0], &c, sizeof c) == sizeof c;
	close(ends[0]);
	waitpid(pid, &status, 0);
	if (!whole || status)
		die("a run failed");
	return c;
}

static struct cost best_run(const struct plan *p, const struct dh_engine_ops *ops)
{
	struct cost best = run_apart(p->file, ops);
	for (int i = 1; i < p->rounds; i++) {
		struct cost c = run_apart(p->file, ops);
		if (c.seconds < best.seconds)
			best = c;
	}
	return best;
}

static double ns_per_event(const struct cost *c)
{
	return c->seconds * 1e9 / (double)c->events;
}

static double megabytes(const struct cost *c)
{
	return (double)c->peak / 1e6;
}

/* ---- traces ---- */

static void write_trace(const struct plan *p, const struct workload_config *config)
{
	const char *why;
	struct workload *w = workload_new(config, &why);
	if (!w)
		die(why);
	struct dh_names *names = workload_names(w);
	struct dh_writer *out;
	struct dh_event ev;
	int status = dh_writer_open(&out, p->file, DH_TRACE_BINARY);
	while (!status && workload_next(w, &ev))
		status = dh_writer_put(out, names, &ev);
	if (!status)
		status = dh_writer_finish(out);
	if (status)
		die(dh_writer_error(out));
	dh_writer_close(out);
	dh_names_free(names);
	workload_free(w);
}

/* ---- engines ---- */

/* The detectors, `null` first; ends with NULL. */
static const struct dh_engine_ops **detectors(const char *only)
{
	static const struct dh_engine_ops *list[32];
	size_t n = 0;
	list[n++] = dh_engine_find("null");
	for (size_t i = 0; dh_engines[i] && n < DH_ARRAY_LEN(list) - 1; i++) {
		const char *name = dh_engines[i]->name;
		bool detects = strcmp(name, "null") != 0 && strcmp(name, "count") != 0 &&
			       strcmp(name, "print") != 0;
		if (detects && (!only || strcmp(only, name) == 0))
			list[n++] = dh_engines[i];
	}
	return list;
}

/* ---- tables ---- */

enum { COLUMNS = 4, LENGTHS = 3, ROWS = 32 };

/* Runs all engines over one column's trace. */
static void measure_column(const struct plan *p, struct cost costs[ROWS][COLUMNS],
			   int column)
{
	const struct dh_engine_ops **e = detectors(p->only);
	for (size_t i = 0; e[i]; i++)
		costs[i][column] = best_run(p, e[i]);
}

/* The longest of the traces. */
static void print_engines(const struct plan *p, struct cost costs[ROWS][COLUMNS])
{
	const struct dh_engine_ops **e = detectors(p->only);
	double base = ns_per_event(&costs[0][LENGTHS - 1]);
	printf("%-17s %9s %10s %8s %9s %9s\n", "engine", "ns/event", "Mevents/s",
	       "x null", "MB", "races");
	for (size_t row = 0; e[row]; row++) {
		const struct cost *c = &costs[row][LENGTHS - 1];
		double ns = ns_per_event(c);
		printf("%-17s %9.1f %10.2f %8.2f %9.1f %9llu\n", e[row]->name, ns,
		       1e3 / ns, ns / base, megabytes(c), (unsigned long long)c->races);
	}
	puts("");
}

static void print_lengths(const struct plan *p, struct cost costs[ROWS][COLUMNS])
{
	const struct dh_engine_ops **e = detectors(p->only);
	printf("%-17s %26s   %26s\n%-17s", "length", "ns/event", "MB", "million events");
	for (int i = 0; i < 2 * LENGTHS; i++)
		printf(" %8.1f%s", (double)costs[0][i % LENGTHS].events / 1e6,
		       i == LENGTHS - 1 ? "  " : "");
	puts("");
	for (size_t row = 0; e[row]; row++) {
		printf("%-17s", e[row]->name);
		for (int i = 0; i < LENGTHS; i++)
			printf(" %8.1f", ns_per_event(&costs[row][i]));
		printf("  ");
		for (int i = 0; i < LENGTHS; i++)
			printf(" %8.1f", megabytes(&costs[row][i]));
		puts("");
	}
	puts("");
}

static void tables_mix(const struct plan *p)
{
	static struct cost costs[ROWS][COLUMNS];
	const uint64_t lengths[LENGTHS] = {p->events / 10, p->events * 3 / 10, p->events};
	struct workload_config config = workload_default();
	printf("a mix of %u threads, %u variables, %u locks\n\n", config.threads,
	       config.vars, config.locks);
	for (int i = 0; i < LENGTHS; i++) {
		config.events = lengths[i];
		write_trace(p, &config);
		measure_column(p, costs, i);
	}
	print_engines(p, costs);
	print_lengths(p, costs);
}

static void table_threads(const struct plan *p, enum workload_style style,
			  const char *title)
{
	static struct cost costs[ROWS][COLUMNS];
	static const uint32_t threads[COLUMNS] = {2, 8, 64, 512};
	printf("%-17s %35s\n%-17s", title, "ns/event", "threads");
	for (int i = 0; i < COLUMNS; i++)
		printf(" %8u", threads[i]);
	puts("");
	for (int i = 0; i < COLUMNS; i++) {
		struct workload_config config = workload_default();
		config.style = style;
		config.events = p->spot_events;
		config.threads = threads[i];
		config.vars = 1024;
		write_trace(p, &config);
		measure_column(p, costs, i);
	}
	const struct dh_engine_ops **e = detectors(p->only);
	for (size_t row = 0; e[row]; row++) {
		printf("%-17s", e[row]->name);
		for (int i = 0; i < COLUMNS; i++)
			printf(" %8.1f", ns_per_event(&costs[row][i]));
		puts("");
	}
	puts("");
}

static void usage(FILE *to)
{
	fputs("usage: trace_bench [--quick] [-e ENGINE] [TABLE]\n"
	      "\n"
	      "Tables: mix, threads; both by default. --quick takes shorter traces and "
	      "one\n"
	      "run of each.\n",
	      to);
}

int main(int argc, char **argv)
{
	struct plan p = {.events = 10000000, .spot_events = 500000, .rounds = 3};
	int i = 1;
	for (; i < argc && argv[i][0] == '-'; i++) {
		if (strcmp(argv[i], "--quick") == 0) {
			p.events = 1000000;
			p.spot_events = 100000;
			p.rounds = 1;
		} else if (strcmp(argv[i], "-e") == 0 && i + 1 < argc) {
			p.only = argv[++i];
		} else {
			usage(strcmp(argv[i], "--help") == 0 ? stdout : stderr);
			return strcmp(argv[i], "--help") == 0 ? 0 : 2;
		}
	}
	const char *folder = getenv("TMPDIR");
	snprintf(p.file, sizeof p.file, "%s/deadheat-bench-%ld.trace",
		 folder ? folder : "/tmp", (long)getpid());
	bool both = i == argc;
	if (both || strcmp(argv[i], "mix") == 0)
		tables_mix(&p);
	if (both || strcmp(argv[i], "threads") == 0) {
		table_threads(&p, WORKLOAD_SHARED, "SharedSpot");
		table_threads(&p, WORKLOAD_LOCAL, "LocalSpot");
	}
	unlink(p.file);
	return 0;
}
