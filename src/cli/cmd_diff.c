/* SPDX-License-Identifier: MIT */
/* `deadheat diff`: which causes are new, which are gone, which are still there. */
#include "cli/cmd.h"
#include "cli/reading.h"
#include "cli/terminal.h"
#include "triage/render.h"

#include <getopt.h>
#include <string.h>

static const char help[] =
    "usage: deadheat diff [OPTIONS] OLD NEW\n"
    "\n"
    "Compares the findings of two files (- is standard input) by cause.\n"
    "\n"
    "      --format text|json       what to write (text)\n"
    "      --colour auto|always|never\n"
    "                               whether text has colours (auto: on a terminal)\n"
    "  -h, --help                   this text\n"
    "\n"
    "Exit status: 0 nothing is new, 66 something is, 1 the result cannot be written, 2 "
    "bad\n"
    "input or options.\n";

struct settings {
	bool json;
	enum dh_colour colour;
	const char *const *files; /* OLD and NEW */
};

static int one_option(void *settings, char **argv, int opt)
{
	struct settings *s = settings;
	if (opt == 'c')
		return dh_parse_colour(optarg, &s->colour) ? 0 : DH_EXIT_USAGE;
	if (opt != 'F')
		return dh_bad_option(argv, opt);
	s->json = strcmp(optarg, "json") == 0;
	return s->json || strcmp(optarg, "text") == 0
		   ? 0
		   : dh_usage_error("--format takes text or json, not '%s'", optarg);
}

/* 0 to go on, else 1 + the exit status. */
static int parse(int argc, char **argv, struct settings *s)
{
	static const struct option longs[] = {
	    {"format", required_argument, NULL, 'F'},
	    {"colour", required_argument, NULL, 'c'},
	    {"help", no_argument, NULL, 'h'},
	    {NULL, 0, NULL, 0},
	};
	int bad = 0, end = dh_parse_options(argc, argv, ":h", longs, help, one_option, s);
	if (end)
		return end;
	if (argc - optind != 2)
		bad =
		    dh_usage_error("diff takes OLD and NEW; see `deadheat diff --help`");
	s->files = (const char *const *)argv + optind;
	return bad ? 1 + bad : 0;
}

static int diff(const struct settings *s, const struct dh_findings *old,
		const struct dh_findings *found)
{
	struct dh_excerpts *excerpts = dh_excerpts_new(NULL, 0);
	struct dh_causes *was = dh_causes_make(old, found, excerpts);
	struct dh_causes *is = dh_causes_make(found, old, excerpts);
	struct dh_outfile out;
	int status = dh_outfile_open(&out, "-");
	if (!status) {
		struct dh_render_options o = {.excerpts = excerpts,
					      .colour =
						  dh_terminal_colour(out.to, s->colour)};
		(s->json ? dh_render_diff_json : dh_render_diff_text)(out.to, is, was,
								      &o);
		status = dh_outfile_close(&out, true);
	}
	for (size_t i = 0; !status && i < is->len; i++)
		if (is->at[i].is_new)
			status = DH_EXIT_RACES;
	dh_causes_free(was);
	dh_causes_free(is);
	dh_excerpts_free(excerpts);
	return status;
}

int dh_cmd_diff(int argc, char **argv)
{
	struct settings s = {0};
	bool cut = false;
	int status = parse(argc, argv, &s);
	if (status)
		return status - 1;
	struct dh_findings *old = dh_findings_new(), *found = dh_findings_new();
	status = dh_read_findings(old, &s.files[0], 1, false, &cut);
	if (!status)
		status = dh_read_findings(found, &s.files[1], 1, false, &cut);
	if (!status)
		status = diff(&s, old, found);
	dh_findings_free(old);
	dh_findings_free(found);
	return cut ? DH_EXIT_USAGE : status;
}
