/* SPDX-License-Identifier: MIT */
/* `deadheat predict`: races that a recorded run could have had in another order. */
#include "cli/cmd.h"
#include "cli/progress.h"
#include "predict/render.h"
#include "trace/reader.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PROGRESS_EVERY = 1 << 12, JOBS_MAX = 256, WINDOW_MAX = 10000000 };

static const char help[] =
    "usage: deadheat predict [OPTIONS] TRACE\n"
    "\n"
    "Finds races that a recorded run could have had if its events had come in another\n"
    "order, and gives that order. TRACE is text or binary (- is standard input).\n"
    "\n"
    "  -m, --model NAME       which reorderings count (rdit)\n"
    "                           hb    none: what happens-before leaves unordered\n"
    "                           cp    what causally-precedes leaves unordered\n"
    "                           mc    all that the events allow (maximal causality)\n"
    "                           rdit  the same where insides of calls are missing\n"
    "      --format text|json how to print the result (text)\n"
    "      --window N         events looked at together (10000)\n"
    "      --overlap N        events that a window shares with the next (half of it)\n"
    "      --timeout MS       the solver's time for one pair of accesses (2000)\n"
    "  -j, --jobs N           windows judged at the same time (one for each processor)\n"
    "      --witness full|window\n"
    "                         with json: all events of a schedule (full), or without\n"
    "                         those before the window, which are as in the trace\n"
    "      --stats            with text: how the pairs were judged\n"
    "  -q, --quiet            no progress line\n"
    "  -h, --help             this text\n"
    "\n"
    "Exit status: 0 no race, 66 races predicted, 2 bad input or options.\n";

struct settings {
	struct dh_predict_config config;
	unsigned long window, overlap, timeout, jobs;
	bool has_overlap, json, window_witness, stats, quiet;
	const char *trace;
};

/* ---- options ---- */

static int choose(const char *option, const char *text, const char *no, const char *yes,
		  bool *value)
{
	*value = strcmp(text, yes) == 0;
	if (*value || strcmp(text, no) == 0)
		return 0;
	return dh_usage_error("%s takes %s or %s, not '%s'", option, no, yes, text);
}

static int choose_model(struct settings *s, const char *text)
{
	for (int m = DH_MODEL_HB; m <= DH_MODEL_RDIT; m++) {
		s->config.model = (enum dh_model)m;
		if (strcmp(text, dh_model_text(s->config.model)) == 0)
			return 0;
	}
	return dh_usage_error("--model takes hb, cp, mc or rdit, not '%s'", text);
}

static int number(const char *option, unsigned long min, unsigned long max,
		  unsigned long *value)
{
	return dh_parse_number(option, optarg, min, max, value) ? 0 : DH_EXIT_USAGE;
}

static int one_option(void *settings, char **argv, int opt)
{
	struct settings *s = settings;
	switch (opt) {
	case 'm':
		return choose_model(s, optarg);
	case 'F':
		return choose("--format", optarg, "text", "json", &s->json);
	case 'w':
		return number("--window", 2, WINDOW_MAX, &s->window);
	case 'o':
		s->has_overlap = true;
		return number("--overlap", 0, WINDOW_MAX - 1, &s->overlap);
	case 't':
		return number("--timeout", 1, 86400000, &s->timeout);
	case 'j':
		return number("--jobs", 1, JOBS_MAX, &s->jobs);
	case 'W':
		return choose("--witness", optarg, "full", "window", &s->window_witness);
	case 's':
		s->stats = true;
		return 0;
	case 'q':
		s->quiet = true;
		return 0;
	}
	return dh_bad_option(argv, opt);
}

static int settle(struct settings *s)
{
	if (!s->has_overlap)
		s->overlap = s->window / 2;
	if (s->overlap >= s->window)
		return dh_usage_error(
		    "--overlap must be less than the window of %lu events", s->window);
	s->config.window = (uint32_t)s->window;
	s->config.step = (uint32_t)(s->window - s->overlap);
	s->config.patience = (uint32_t)s->timeout;
	s->config.jobs = (uint32_t)s->jobs;
	return 0;
}

/* 0 to go on, else 1 + the exit status. */
static int parse(int argc, char **argv, struct settings *s)
{
	static const struct option longs[] = {
	    {"model", required_argument, NULL, 'm'},
	    {"format", required_argument, NULL, 'F'},
	    {"window", required_argument, NULL, 'w'},
	    {"overlap", required_argument, NULL, 'o'},
	    {"timeout", required_argument, NULL, 't'},
	    {"jobs", required_argument, NULL, 'j'},
	    {"witness", required_argument, NULL, 'W'},
	    {"stats", no_argument, NULL, 's'},
	    {"quiet", no_argument, NULL, 'q'},
	    {"help", no_argument, NULL, 'h'},
	    {NULL, 0, NULL, 0},
	};
	int end = dh_parse_options(argc, argv, ":m:j:qh", longs, help, one_option, s);
	if (end)
		return end;
	if (optind + 1 != argc)
		return 1 +
		       dh_usage_error("predict takes one TRACE; see `deadheat predict "
				      "--help`");
	s->trace = argv[optind];
	int bad = settle(s);
	return bad ? 1 + bad : 0;
}

/* ---- the pass ---- */

static int pass(const struct settings *s, struct dh_reader *reader, struct dh_predict *p)
{
	struct dh_progress progress = {.off = s->quiet};
	struct dh_event ev;
	int got;
	while ((got = dh_reader_next(reader, &ev)) > 0) {
		dh_predict_feed(p, &ev);
		if (DH_UNLIKELY(ev.index % PROGRESS_EVERY == 0)) {
			uint64_t done, total;
			dh_reader_progress(reader, &done, &total);
			dh_progress_show(&progress, done, total, ev.index);
		}
	}
	if (got == 0)
		dh_predict_finish(p);
	dh_progress_end(&progress);
	return got;
}

/* ---- the result ---- */

static int render(const struct settings *s, struct dh_reader *reader,
		  const struct dh_predict *p)
{
	struct dh_predict_page page = {
	    .trace = s->trace,
	    .damage = dh_reader_damage(reader),
	    .names = dh_reader_names(reader),
	    .config = &s->config,
	    .result = dh_predict_result(p),
	    .whole_witness = !s->window_witness,
	    .stats = s->stats,
	    .colour = isatty(STDOUT_FILENO),
	};
	if (s->json)
		dh_render_prediction_json(&page, stdout);
	else
		dh_render_prediction_text(&page, stdout);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "deadheat: cannot write the result: %m\n");
		return DH_EXIT_FAILED;
	}
	if (page.result->counters.rejected)
		fprintf(stderr,
			"deadheat: %llu schedules did not stand the check and were "
			"left out; please report this\n",
			(unsigned long long)page.result->counters.rejected);
	if (page.damage) {
		fprintf(stderr, "deadheat: %s\n", page.damage);
		return DH_EXIT_USAGE;
	}
	return page.result->races.len ? DH_EXIT_RACES : DH_EXIT_OK;
}

static unsigned long processors(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	return n < 1 ? 1 : n > JOBS_MAX ? JOBS_MAX : (unsigned long)n;
}

int dh_cmd_predict(int argc, char **argv)
{
	struct settings set = {
	    .config = {.model = DH_MODEL_RDIT},
	    .window = DH_PREDICT_WINDOW,
	    .timeout = DH_PREDICT_PATIENCE,
	    .jobs = processors(),
	};
	int stop = parse(argc, argv, &set);
	if (stop)
		return stop - 1;

	struct dh_reader *reader;
	int status, got = dh_reader_open(&reader, set.trace);
	struct dh_predict *p = dh_predict_new(&set.config);
	if (got == 0)
		got = pass(&set, reader, p);
	if (got < 0)
		status = dh_usage_error("%s", dh_reader_error(reader));
	else
		status = render(&set, reader, p);
	dh_predict_free(p);
	dh_reader_close(reader);
	return status;
}
