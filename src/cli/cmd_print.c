/* SPDX-License-Identifier: MIT */
/* `deadheat print`: shows a trace as text, or turns it from one format into the
 * other. */
#include "cli/cmd.h"
#include "trace/reader.h"
#include "trace/writer.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: deadheat print [OPTIONS] TRACE\n"
    "\n"
    "Writes a trace, text or binary (- is standard input), in the format asked for.\n"
    "\n"
    "  -o, --output FILE            where to write (- is standard output, the default);\n"
    "                               FILE appears only when it is complete\n"
    "      --format text|binary     what to write (binary where FILE ends in .dht, else\n"
    "                               text)\n"
    "  -h, --help                   this text\n"
    "\n"
    "Exit status: 0, 1 where FILE cannot be written, 2 on bad input or options. Of a\n"
    "damaged binary trace all events before the damage are written, and the status is "
    "2.\n";

struct settings {
	const char *trace, *output;
	enum dh_trace_format format;
	bool format_given;
};

/* ---- options ---- */

static int set_format(struct settings *s, const char *text)
{
	s->format_given = true;
	s->format = strcmp(text, "binary") == 0 ? DH_TRACE_BINARY : DH_TRACE_TEXT;
	if (s->format == DH_TRACE_BINARY || strcmp(text, "text") == 0)
		return 0;
	return dh_usage_error("--format takes text or binary, not '%s'", text);
}

static bool named_binary(const char *path)
{
	size_t len = strlen(path);
	return len > 4 && strcmp(path + len - 4, ".dht") == 0;
}

static int settle(struct settings *s, int argc, char **argv)
{
	if (optind + 1 != argc)
		return dh_usage_error(
		    "print takes one TRACE; see `deadheat print --help`");
	s->trace = argv[optind];
	if (!s->format_given && named_binary(s->output))
		s->format = DH_TRACE_BINARY;
	if (s->format == DH_TRACE_BINARY && strcmp(s->output, "-") == 0 &&
	    isatty(STDOUT_FILENO))
		return dh_usage_error("a binary trace does not go to a terminal; name a "
				      "file with -o");
	return 0;
}

static int one_option(void *settings, char **argv, int opt)
{
	struct settings *s = settings;
	if (opt == 'F')
		return set_format(s, optarg);
	if (opt != 'o')
		return dh_bad_option(argv, opt);
	s->output = optarg;
	return 0;
}

/* 0 to go on, else 1 + the exit status. */
static int parse(int argc, char **argv, struct settings *s)
{
	static const struct option longs[] = {
	    {"output", required_argument, NULL, 'o'},
	    {"format", required_argument, NULL, 'F'},
	    {"help", no_argument, NULL, 'h'},
	    {NULL, 0, NULL, 0},
	};
	int end = dh_parse_options(argc, argv, ":o:h", longs, help, one_option, s);
	if (end)
		return end;
	int bad = settle(s, argc, argv);
	return bad ? 1 + bad : 0;
}

/* ---- the pass ---- */

/* Of bad input a file gets nothing, but a reader at the terminal sees how far it
 * went. */
static bool worth_showing(const struct settings *s)
{
	return s->format == DH_TRACE_TEXT && strcmp(s->output, "-") == 0;
}

static int write_failed(const struct dh_writer *w)
{
	fprintf(stderr, "deadheat: %s\n", dh_writer_error(w));
	return DH_EXIT_FAILED;
}

static int copy(struct dh_reader *r, struct dh_writer *w, const struct settings *s)
{
	struct dh_event ev;
	int got;
	while ((got = dh_reader_next(r, &ev)) > 0)
		if (dh_writer_put(w, dh_reader_names(r), &ev))
			return write_failed(w);
	if ((got == 0 || worth_showing(s)) && dh_writer_finish(w))
		return write_failed(w);
	if (got < 0)
		return dh_usage_error("%s", dh_reader_error(r));
	if (dh_reader_damage(r))
		return dh_usage_error("%s", dh_reader_damage(r));
	return DH_EXIT_OK;
}

int dh_cmd_print(int argc, char **argv)
{
	struct settings s = {.output = "-", .format = DH_TRACE_TEXT};
	int status = parse(argc, argv, &s);
	if (status)
		return status - 1;
	struct dh_reader *r;
	struct dh_writer *w = NULL;
	if (dh_reader_open(&r, s.trace))
		status = dh_usage_error("%s", dh_reader_error(r));
	else if (dh_writer_open(&w, s.output, s.format))
		status = write_failed(w);
	else
		status = copy(r, w, &s);
	dh_writer_close(w);
	dh_reader_close(r);
	return status;
}
