/* SPDX-License-Identifier: MIT */
/* See predicting.h. The steps are the commands record, analyze, predict and report, each
 * but the first in a process of its own with its output in a file. */
#define _GNU_SOURCE
#include "cli/predicting.h"
#include "cli/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 32 };

/* The arguments of a command in the making. */
struct command {
	char *argv[MOST + 1];
	int argc;
};

static void add(struct command *c, const char *argument)
{
	if (c->argc < MOST)
		c->argv[c->argc++] = (char *)argument;
}

static void add_option(struct command *c, const char *name, const char *value)
{
	if (value && *value) {
		add(c, name);
		add(c, value);
	}
}

typedef int command_fn(int argc, char **argv);

/* Runs a command with standard output in a file, or on standard error where path is
 * NULL. Returns its exit status. */
static int step(const struct command *c, command_fn *f, const char *path)
{
	int status = 0;
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		struct command own = *c;
		int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)
			      : STDERR_FILENO;
		if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0) {
			dh_usage_error("run: %s: %s", path ? path : "standard error",
				       strerror(errno));
			_exit(DH_EXIT_FAILED);
		}
		optind = 0; /* getopt starts over */
		status = f(own.argc, own.argv);
		fflush(NULL);
		_exit(status);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : DH_EXIT_FAILED;
}

/* ---- files ---- */

struct files {
	char *folder; /* NULL: none */
	char *trace, *analyzed, *predicted;
};

static char *in_folder(const struct files *f, const char *name)
{
	char *path;
	return asprintf(&path, "%s/%s", f->folder, name) < 0 ? NULL : path;
}

static bool make_files(struct files *f, const char *trace)
{
	const char *tmp = getenv("TMPDIR");
	if (asprintf(&f->folder, "%s/deadheat-XXXXXX", tmp && *tmp ? tmp : "/tmp") < 0)
		f->folder = NULL;
	if (!f->folder || !mkdtemp(f->folder))
		return false;
	f->trace = trace ? strdup(trace) : in_folder(f, "run.dht");
	f->analyzed = in_folder(f, "analyzed.json");
	f->predicted = in_folder(f, "predicted.json");
	return f->trace && f->analyzed && f->predicted;
}

static void remove_files(struct files *f, bool keep_trace)
{
	if (f->trace && !keep_trace)
		unlink(f->trace);
	if (f->analyzed)
		unlink(f->analyzed);
	if (f->predicted)
		unlink(f->predicted);
	if (f->folder)
		rmdir(f->folder);
	free(f->folder);
	free(f->trace);
	free(f->analyzed);
	free(f->predicted);
}

/* ---- steps ---- */

static int record(const struct dh_flags *o, const struct files *f, int argc, char **argv)
{
	struct command c = {.argc = 0};
	char cap[16];
	char **all = calloc((size_t)argc + MOST + 1, sizeof *all);
	add(&c, "run"); /* whose messages they are */
	add(&c, "-q");
	add_option(&c, "-o", f->trace);
	add_option(&c, "--missing", o->missing);
	add_option(&c, "--no-missing", o->no_missing);
	snprintf(cap, sizeof cap, "%" PRIu32, o->missing_cap);
	add_option(&c, "--missing-cap", cap);
	if (o->missing_afresh)
		add(&c, "--missing-afresh");
	add(&c, "--");
	if (!all)
		return DH_EXIT_FAILED;
	memcpy(all, c.argv, (size_t)c.argc * sizeof *all);
	memcpy(all + c.argc, argv, (size_t)argc * sizeof *all);
	optind = 0;
	int status = dh_cmd_record(c.argc + argc, all);
	free(all);
	return status;
}

static bool judge(const struct files *f)
{
	char engines[] = "fasttrack,multirace"; /* which is taken apart in place */
	struct command analyze = {
	    .argv = {"analyze", "-q", "-e", engines, "--format", "json", f->trace},
	    .argc = 7};
	struct command predict = {.argv = {"predict", "-q", "--format", "json", f->trace},
				  .argc = 5};
	int a = step(&analyze, dh_cmd_analyze, f->analyzed);
	int p = step(&predict, dh_cmd_predict, f->predicted);
	return (a == DH_EXIT_OK || a == DH_EXIT_RACES) &&
	       (p == DH_EXIT_OK || p == DH_EXIT_RACES);
}

static void report_on(struct command *c, const struct dh_flags *o, const struct files *f)
{
	static const char *const colours[] = {"auto", "always", "never"};
	static const char *const least[] = {"predicted", "potential"};
	add(c, "report");
	add(c, "--details");
	add_option(c, "--suppressions", o->suppressions);
	add_option(c, "--baseline", o->baseline);
	add_option(c, "--fail-on", least[o->fail_on]);
	add_option(c, "--colour", colours[o->colour]);
	add(c, f->analyzed);
	add(c, f->predicted);
}

/* DH_EXIT_OK, DH_EXIT_RACES, or what went wrong. */
static int report(const struct dh_flags *o, const struct files *f)
{
	struct command text = {.argc = 0};
	report_on(&text, o, f);
	if (*o->json) {
		struct command json = text;
		add_option(&json, "--format", "json");
		int status = step(&json, dh_cmd_report, o->json);
		if (status != DH_EXIT_OK && status != DH_EXIT_RACES)
			return status;
	}
	const char *to = o->quiet ? "/dev/null" : *o->log ? o->log : NULL;
	return step(&text, dh_cmd_report, to);
}

int dh_predicting_run(const struct dh_flags *flags, const char *trace, int argc,
		      char **argv)
{
	struct files f = {0};
	int status = DH_EXIT_FAILED;
	if (!make_files(&f, trace)) {
		fprintf(stderr, "deadheat: run: no room for temporary files: %s\n",
			strerror(errno));
	} else {
		status = record(flags, &f, argc, argv);
		if (access(f.trace, R_OK) == 0) {
			int found = judge(&f) ? report(flags, &f) : DH_EXIT_FAILED;
			if (found == DH_EXIT_RACES && flags->exit_code)
				status = (int)flags->exit_code;
			else if (found != DH_EXIT_OK && found != DH_EXIT_RACES)
				status = found;
		}
	}
	remove_files(&f, trace != NULL);
	return status;
}
