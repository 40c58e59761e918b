/* SPDX-License-Identifier: MIT */
/*
 * `deadheat run`: runs a program that was built for it, with options. Sets up the
 * environment and becomes the program, so that signals, the terminal and the process id
 * are as they would be without.
 *
 *   DEADHEAT_OPTIONS   the options (runtime/flags.h)
 *   DEADHEAT_HELPER    this program, for the runtime to look up names with
 *   LD_LIBRARY_PATH    our library folder in front: what was linked with gcc's libtsan
 *                      finds ours under that name
 *   LD_PRELOAD         our library, where another would come before it (program.h). The
 *                      runtime takes itself out again, so that it does not get into every
 *                      program that this one starts
 */
#define _GNU_SOURCE
#include "cli/annotations.h"
#include "cli/cmd.h"
#include "cli/debug.h"
#include "cli/place.h"
#include "cli/predicting.h"
#include "cli/program.h"
#include "cli/standing.h"
#include "registry/registry.h"
#include "runtime/flags.h"
#include "trace/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help_top[] =
    "usage: deadheat run [OPTIONS] [--] PROGRAM [ARGUMENTS...]\n"
    "\n"
    "Runs a program that was built by `deadheat cc`, or by gcc with -fsanitize=thread,\n"
    "and reports its data races.\n"
    "\n"
    "      --annotations FILE       functions, files and variables that are not looked at\n"
    "      --break[=first|end]      run it under gdb, and stop at each race from the\n"
    "                               first on, or at the end\n"
    "      --predict[=TRACE]        record the run, and report at its end what it left\n"
    "                               unordered, what locks kept apart by luck, and what\n"
    "                               another order of its events would have had; the\n"
    "                               trace is kept as TRACE\n";

static const char help_bottom[] =
    "  -h, --help                   this text\n"
    "\n"
    "The same options, without the dashes, work in the environment variable\n"
    "DEADHEAT_OPTIONS for a program that runs on its own: 'log=races.txt verbose'.\n"
    "\n"
    "Exit status: the program's own, or 66 (see --exit-code) where races were found; 2 "
    "on\n"
    "bad options, 126 and 127 where the program cannot be run or found.\n";

static void print_name(const char *name)
{
	for (; *name; name++)
		putchar(*name == '_' ? '-' : *name);
}

/* Words of an option's help begin in this column, on the next line where need be. */
enum { COLUMN = 31 };

static void help(void)
{
	fputs(help_top, stdout);
	for (size_t i = 0; i < dh_flag_count; i++) {
		const struct dh_flag *o = &dh_flag_table[i];
		const char *argument = o->argument ? o->argument : "";
		size_t at = 9 + strlen(o->name) + strlen(argument);
		fputs("      --", stdout);
		print_name(o->name);
		printf(*argument ? " %s" : "%s ", argument);
		if (at < COLUMN)
			printf("%*s", (int)(COLUMN - at), "");
		else
			printf("\n%*s", COLUMN, "");
		for (const char *c = o->help; *c; c++) {
			putchar(*c);
			if (*c == '\n')
				printf("%*s", COLUMN, "");
		}
		putchar('\n');
	}
	fputs(help_bottom, stdout);
}

/* ---- options ---- */

/* The value of DEADHEAT_OPTIONS in the making. */
struct settings {
	struct dh_flags flags; /* to check, and for what this command does itself */
	char *text;
	const char *command;	 /* in messages about the program: also that of `record` */
	enum dh_break stop;	 /* not for the runtime */
	const char *annotations; /* likewise; NULL: none */
	bool predict;		 /* likewise */
	const char *trace;	 /* where that keeps it; NULL: nowhere */
};

static int append(struct settings *s, const char *format, ...)
{
	char *more, *all;
	va_list args;
	va_start(args, format);
	int n = vasprintf(&more, format, args);
	va_end(args);
	if (n < 0 || asprintf(&all, "%s%s%s", s->text, *s->text ? " " : "", more) < 0)
		return DH_EXIT_FAILED;
	free(more);
	free(s->text);
	s->text = all;
	return 0;
}

static int set(struct settings *s, const char *name, const char *value)
{
	struct dh_flag_error e;
	if (!dh_flags_set(&s->flags, name, value, &e))
		return dh_usage_error("run: %s; see `deadheat run --help`", e.text);
	if (!value)
		return append(s, "%s", name);
	char quote = strchr(value, '\'') ? '"' : '\'';
	if (strchr(value, quote))
		return dh_usage_error("run: a value cannot have quotes of both kinds: %s",
				      value);
	return append(s, "%s=%c%s%c", name, quote, value, quote);
}

static bool takes_value(const char *name)
{
	for (size_t i = 0; i < dh_flag_count; i++) {
		const char *a = name, *b = dh_flag_table[i].name;
		while (*a && (*a == *b || (*a == '-' && *b == '_'))) {
			a++;
			b++;
		}
		if (!*a && !*b)
			return dh_flag_table[i].argument != NULL;
	}
	return strcmp(name, "annotations") == 0;
}

static int set_break(struct settings *s, const char *value)
{
	if (!value || strcmp(value, "first") == 0)
		s->stop = DH_BREAK_FIRST;
	else if (strcmp(value, "end") == 0)
		s->stop = DH_BREAK_END;
	else
		return dh_usage_error(
		    "run: option '--break' takes first or end, not '%s'", value);
	return 0;
}

/* One option at argv[*at]; moves on. 0 or the exit status. */
static int option(struct settings *s, char **argv, int *at)
{
	char *name = argv[*at] + 2, *value = strchr(name, '=');
	if (value)
		*value++ = '\0';
	if (strcmp(name, "break") == 0) {
		++*at;
		return set_break(s, value);
	}
	if (strcmp(name, "predict") == 0) {
		++*at;
		s->predict = true;
		s->trace = value;
		return 0;
	}
	if (!value && takes_value(name) && !(value = argv[++*at]))
		return dh_usage_error(
		    "run: option '--%s' needs an argument; see `deadheat run "
		    "--help`",
		    name);
	++*at;
	if (strcmp(name, "annotations") == 0) {
		s->annotations = value;
		return 0;
	}
	return set(s, name, value);
}

/* 0 to go on with argv[*at], else 1 + the exit status. */
static int parse(struct settings *s, int argc, char **argv, int *at)
{
	while (*at < argc && argv[*at][0] == '-') {
		const char *arg = argv[*at];
		if (strcmp(arg, "-h") == 0 || strcmp(arg, "--help") == 0) {
			help();
			return 1 + DH_EXIT_OK;
		}
		if (strcmp(arg, "--") == 0) {
			++*at;
			break;
		}
		int bad =
		    strncmp(arg, "--", 2) == 0
			? option(s, argv, at)
			: dh_usage_error("run: option '%s' is not known; see `deadheat "
					 "run --help`",
					 arg);
		if (bad)
			return 1 + bad;
	}
	if (*at >= argc)
		return 1 +
		       dh_usage_error("run: no program given; see `deadheat run --help`");
	return 0;
}

static int inherit(struct settings *s)
{
	const char *outer = getenv("DEADHEAT_OPTIONS");
	struct dh_flag_error e;
	dh_flags_default(&s->flags);
	s->text = strdup(outer ? outer : "");
	if (outer && !dh_flags_parse(&s->flags, outer, &e))
		return dh_usage_error("DEADHEAT_OPTIONS: %s; see `deadheat run --help`",
				      e.text);
	return 0;
}

/* Each run starts with an empty file; its processes add to it. */
static int empty_file(const char *path)
{
	if (!*path || strstr(path, "%p"))
		return 0;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return dh_usage_error("run: cannot write %s: %s", path, strerror(errno));
	close(fd);
	return 0;
}

/* ---- the program ---- */

static int check_program(const struct settings *s, const char *path,
			 enum dh_program_kind kind)
{
	switch (kind) {
	case DH_PROGRAM_OWN:
		return dh_usage_error(
		    "%s: %s has a ThreadSanitizer of its own built in, which cannot be "
		    "replaced; link it again with `deadheat cc` (DEADHEAT_CC=clang)",
		    s->command, path);
	case DH_PROGRAM_STATIC:
		return dh_usage_error(
		    "%s: %s is linked statically and cannot be watched; "
		    "link it without -static by `deadheat cc`",
		    s->command, path);
	case DH_PROGRAM_PLAIN:
		fprintf(
		    stderr,
		    "deadheat: %s is not instrumented: races in it stay unseen; build it "
		    "with `deadheat cc` or `deadheat c++`\n",
		    path);
		return 0;
	default:
		return 0;
	}
}

static int set_environment(const struct settings *s, const struct dh_program *p)
{
	char *program = dh_place_program(), *libraries = dh_place_libraries(), *path;
	const char *old = getenv("LD_LIBRARY_PATH");
	if (!program || !libraries)
		return dh_usage_error(
		    "%s: libdeadheat-fasttrack.so is not where it should be; "
		    "is the installation complete?",
		    s->command);
	if (asprintf(&path, "%s%s%s", libraries, old && *old ? ":" : "",
		     old && *old ? old : "") < 0)
		return DH_EXIT_FAILED;
	/* gdb would get it too; and a shell that is recorded itself would be in the way of
	 * the program that it starts. */
	bool alone = s->stop || (p->kind == DH_PROGRAM_PLAIN &&
				 s->flags.engine == DH_ENGINE_RECORD);
	char *preload =
	    alone ? NULL : dh_program_preload(p, libraries, getenv("LD_PRELOAD"));
	if (preload)
		setenv("LD_PRELOAD", preload, 1);
	free(preload);
	setenv("LD_LIBRARY_PATH", path, 1);
	setenv("DEADHEAT_HELPER", program, 1);
	setenv("DEADHEAT_OPTIONS", s->text, 1);
	free(path);
	free(program);
	free(libraries);
	return 0;
}

static int become(const struct settings *s, char **argv)
{
	char *path = dh_program_find(argv[0]);
	if (!path) {
		dh_usage_error("%s: %s: %s", s->command, argv[0],
			       access(argv[0], F_OK) == 0 && strchr(argv[0], '/')
				   ? "not executable"
				   : "not found");
		return access(argv[0], F_OK) == 0 && strchr(argv[0], '/') ? 126 : 127;
	}
	struct dh_program p;
	dh_program_look(path, &p);
	int bad = check_program(s, path, p.kind);
	if (!bad)
		bad = set_environment(s, &p);
	if (!bad && s->annotations)
		bad = dh_annotations_apply(s->annotations, path);
	if (!bad && s->stop) {
		bad = dh_debug_become(path, argv, s->stop);
	} else if (!bad) {
		execv(path, argv);
		if (errno == ENOEXEC)
			execvp(path, argv); /* a script without an interpreter line */
		dh_usage_error("%s: %s: %s", s->command, path, strerror(errno));
		bad = 126;
	}
	free(path);
	return bad;
}

/* Returns only where something went wrong, or help was asked for. */
static int prepare_and_run(struct settings *s, int argc, char **argv)
{
	int at = 1, bad = inherit(s);
	if (bad)
		return bad;
	bad = parse(s, argc, argv, &at);
	if (bad)
		return bad - 1;
	struct dh_flag_error e;
	if (s->predict && (s->flags.engine || s->flags.halt || s->stop || s->annotations))
		return dh_usage_error("run: --predict does not go with --engine, --halt, "
				      "--break or --annotations");
	if (s->predict)
		s->flags.engine = DH_ENGINE_RECORD;
	if (!dh_flags_check(&s->flags, &e))
		return dh_usage_error("run: %s", e.text);
	if (s->predict)
		return dh_predicting_run(&s->flags, s->trace, argc - at, argv + at);
	if (s->flags.engine == DH_ENGINE_RECORD && !getenv(DH_RING_VARIABLE))
		return dh_usage_error("run: the engine 'record' is that of `deadheat record`");
	bad = empty_file(s->flags.log);
	if (!bad)
		bad = empty_file(s->flags.json);
	if (!bad)
		bad = dh_standing_check(s->flags.suppressions, s->flags.baseline);
	return bad ? bad : become(s, argv + at);
}

int dh_cmd_run(int argc, char **argv)
{
	struct settings s = {.command = argv[0], .stop = DH_BREAK_NO};
	int status = prepare_and_run(&s, argc, argv);
	dh_flags_free(&s.flags);
	free(s.text);
	return status;
}
