/* SPDX-License-Identifier: MIT */
/*
 * `deadheat record`: runs a program as `deadheat run` does, and writes what it does into
 * a trace. This process stays, takes what the program hands over, and goes on until the
 * program has ended, however that happens.
 */
#define _GNU_SOURCE
#include "cli/cmd.h"
#include "record/recording.h"
#include "trace/ring.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
    "usage: deadheat record -o TRACE.dht [OPTIONS] [--] PROGRAM [ARGUMENTS...]\n"
    "\n"
    "Runs a program that was built by `deadheat cc`, or by gcc with -fsanitize=thread,\n"
    "and records what its threads do, for `deadheat predict` and `deadheat analyze`.\n"
    "\n"
    "  -o, --output FILE       where the trace goes\n"
    "      --all               every access; else those are left out that repeat one\n"
    "                          since the thread's last synchronisation, or are to\n"
    "                          memory that no two threads share\n"
    "      --max-size N[K|M|G] end the recording when the trace has N bytes, counted\n"
    "                          before they are compressed\n"
    "      --ring N            keep about the last N records only\n"
    "      --missing PATTERN,...     the functions or libraries whose calls are in the\n"
    "                          trace as missing methods (docs/missing.md); by default "
    "all\n"
    "                          that are not instrumented and may synchronise\n"
    "      --no-missing PATTERN,...  and those that are not\n"
    "      --missing-cap N     objects that such a call is taken to reach (4096)\n"
    "      --missing-afresh    look anew at each of them, every time\n"
    "  -q, --quiet             say nothing but what keeps the trace from being whole\n"
    "  -h, --help              this text\n"
    "\n"
    "Exit status: the program's own, 128 and the signal's number where it was killed; 1\n"
    "where the trace could not be written, 2 on bad options, 126 and 127 where the\n"
    "program cannot be run or found.\n";

enum { PASSED_MOST = 16 };

struct settings {
	struct dh_recording_config config;
	char *command; /* in messages about the program */
	struct passed {
		char *at[PASSED_MOST];
		int len;
	} passed; /* options for `deadheat run` */
	bool quiet;
};

/* ---- options ---- */

enum { ALL = 256, MAX_SIZE, RING, MISSING, NO_MISSING, MISSING_CAP, MISSING_AFRESH };

static const struct option longs[] = {
    {"output", required_argument, NULL, 'o'},
    {"all", no_argument, NULL, ALL},
    {"missing", required_argument, NULL, MISSING},
    {"no-missing", required_argument, NULL, NO_MISSING},
    {"missing-cap", required_argument, NULL, MISSING_CAP},
    {"missing-afresh", no_argument, NULL, MISSING_AFRESH},
    {"max-size", required_argument, NULL, MAX_SIZE},
    {"ring", required_argument, NULL, RING},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static bool parse_size(const char *text, uint64_t *value)
{
	static const char units[] = "KMG";
	size_t len = strlen(text);
	const char *unit = len > 1 ? strchr(units, text[len - 1]) : NULL;
	char *digits = strndup(text, len - (unit != NULL));
	unsigned long n;
	bool good = digits && dh_parse_number("--max-size", digits, 1, 1ul << 30, &n);
	if (good)
		*value = (uint64_t)n << (unit ? 10 * (unit - units + 1) : 0);
	free(digits);
	return good;
}

/* value is NULL for an option without one. */
static int pass(struct passed *p, const char *name, const char *value)
{
	if (p->len + 2 > PASSED_MOST)
		return dh_usage_error("record: %s is given too often", name);
	p->at[p->len++] = (char *)name;
	if (value)
		p->at[p->len++] = (char *)value;
	return 0;
}

static int option(void *settings, char **argv, int opt)
{
	struct settings *s = settings;
	unsigned long n = 0;
	switch (opt) {
	case 'o':
		s->config.path = optarg;
		return 0;
	case ALL:
		s->config.all = true;
		return 0;
	case MAX_SIZE:
		return parse_size(optarg, &s->config.max_size) ? 0 : DH_EXIT_USAGE;
	case RING:
		if (!dh_parse_number("--ring", optarg, 1, 1ul << 40, &n))
			return DH_EXIT_USAGE;
		s->config.last = n;
		return 0;
	case MISSING:
		return pass(&s->passed, "--missing", optarg);
	case NO_MISSING:
		return pass(&s->passed, "--no-missing", optarg);
	case MISSING_CAP:
		if (!dh_parse_number("--missing-cap", optarg, 1, 1000000, &n))
			return DH_EXIT_USAGE;
		return pass(&s->passed, "--missing-cap", optarg);
	case MISSING_AFRESH:
		return pass(&s->passed, "--missing-afresh", NULL);
	case 'q':
		s->quiet = true;
		return 0;
	default:
		return dh_bad_option(argv, opt);
	}
}

/* ---- the program ---- */

static void pass_on(int signal_number, pid_t child)
{
	if (signal_number > 0)
		kill(child, signal_number);
}

static volatile sig_atomic_t asked_to_end;
static sigset_t former_mask; /* when this process was started */

/* The signal that naps are waited for with, so that none is longer than the program. */
static sigset_t end_of_program(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	return set;
}

static void note_signal(int number)
{
	asked_to_end = number;
}

/* Becomes the program. */
static _Noreturn void be_program(const struct settings *s, const struct dh_recording *r,
				 char **argv, int argc)
{
	enum { OWN = 4 };
	char **all = calloc((size_t)argc + OWN + PASSED_MOST + 1, sizeof *all);
	int n = 0;
	if (!all)
		_exit(DH_EXIT_FAILED);
	all[n++] = s->command;
	all[n++] = (char *)"--engine";
	all[n++] = (char *)"record";
	for (int i = 0; i < s->passed.len; i++)
		all[n++] = s->passed.at[i];
	all[n++] = (char *)"--";
	memcpy(all + n, argv, (size_t)argc * sizeof *all);
	setenv(DH_RING_VARIABLE, dh_recording_path(r), 1);
	for (const int *i = (const int[]){SIGINT, SIGQUIT, SIGTERM, SIGHUP, 0}; *i; i++)
		signal(*i, SIG_DFL);
	sigprocmask(SIG_SETMASK, &former_mask, NULL);
	int status = dh_cmd_run(argc + n, all);
	fflush(NULL);
	_exit(status);
}

/* The keyboard's signals are for the program; those sent to this process are handed
 * on. */
static void set_signals(void)
{
	struct sigaction hand_on = {.sa_handler = note_signal};
	const sigset_t end = end_of_program();
	sigprocmask(SIG_BLOCK, &end, &former_mask);
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	sigaction(SIGTERM, &hand_on, NULL);
	sigaction(SIGHUP, &hand_on, NULL);
}

/* Takes what it hands over until it has ended. Returns its exit status. */
static int follow(struct dh_recording *r, pid_t child)
{
	enum { MUCH = 1 << 14 }; /* so many that more have come meanwhile */
	const struct timespec nap = {.tv_nsec = 2 * 1000 * 1000};
	const sigset_t end = end_of_program();
	int status = 0;
	pid_t got;
	do {
		if (dh_recording_some(r) < MUCH)
			sigtimedwait(&end, NULL, &nap);
		pass_on(asked_to_end, child);
		asked_to_end = 0;
		got = waitpid(child, &status, WNOHANG);
	} while (got == 0 || (got < 0 && errno == EINTR));
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- what is said about it ---- */

/* Those that were not recorded. */
static void report_others(const struct dh_recording_summary *m)
{
	uint32_t known = DH_MIN(m->others, (uint32_t)DH_RING_OTHERS);
	for (uint32_t i = 0; i < known; i++)
		fprintf(stderr, "deadheat: process %" PRIu32 " was not recorded: %s\n",
			m->other[i] & ~DH_RING_FORKED,
			m->other[i] & DH_RING_FORKED
			    ? "a child by fork"
			    : "another program that was started");
	if (m->others > known)
		fprintf(stderr, "deadheat: nor were %" PRIu32 " more\n",
			m->others - known);
}

static void report(const struct settings *s, const struct dh_recording_summary *m)
{
	const char *path = s->config.path;
	if (!m->attached)
		fprintf(stderr, "deadheat: %s is empty: nothing was recorded\n", path);
	else if (!s->quiet)
		fprintf(stderr,
			"deadheat: %s: %" PRIu64 " records of %" PRIu64 " threads\n",
			path, m->records, m->threads);
	if (m->cut)
		fprintf(stderr, "deadheat: %s ends before the program did: --max-size\n",
			path);
	if (m->lost)
		fprintf(stderr, "deadheat: %s: %" PRIu64 " records were lost\n", path,
			m->lost);
	if (!s->quiet)
		report_others(m);
}

/* Where the program cannot be run or found, which has been said, there is no trace: a file
 * that had its name stays. */
static bool has_run(const struct dh_recording *r, int status)
{
	return dh_recording_attached(r) || (status != 126 && status != 127);
}

static int record(const struct settings *s, int argc, char **argv)
{
	struct dh_recording_summary summary;
	struct dh_recording *r = dh_recording_new(&s->config);
	if (!r)
		return DH_EXIT_FAILED;
	fflush(NULL);
	set_signals();
	pid_t child = fork();
	if (child == 0)
		be_program(s, r, argv, argc);
	if (child < 0) {
		fprintf(stderr, "deadheat: record: %s\n", strerror(errno));
		dh_recording_free(r);
		return DH_EXIT_FAILED;
	}
	int status = follow(r, child);
	int failed = 0;
	if (has_run(r, status)) {
		failed = dh_recording_finish(r, &summary);
		if (!failed)
			report(s, &summary);
	}
	dh_recording_free(r);
	return failed ? DH_EXIT_FAILED : status;
}

int dh_cmd_record(int argc, char **argv)
{
	struct settings s = {.command = argv[0]};
	int stop = dh_parse_options(argc, argv, "+:o:qh", longs, help, option, &s);
	if (stop)
		return stop - 1;
	if (!s.config.path)
		return dh_usage_error("record: no trace given (-o); see `deadheat record "
				      "--help`");
	if (optind >= argc)
		return dh_usage_error("record: no program given; see `deadheat record "
				      "--help`");
	return record(&s, argc - optind, argv + optind);
}
