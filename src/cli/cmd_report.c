/* SPDX-License-Identifier: MIT */
/* `deadheat report`: findings of any number of runs, merged, ranked and shown. */
#define _GNU_SOURCE
#include "cli/cmd.h"
#include "cli/reading.h"
#include "cli/rules.h"
#include "cli/terminal.h"
#include "triage/render.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: deadheat report [OPTIONS] FINDINGS...\n"
    "\n"
    "Merges what `run --json`, `analyze --format json` and `predict --format json` have\n"
    "found (- is standard input) into causes, ranks them and shows them.\n"
    "\n"
    "      --format text|json|sarif|html\n"
    "                               what to write (as the name of the output ends, else\n"
    "                               text)\n"
    "  -o, --output FILE            where to write (standard output); FILE appears only\n"
    "                               when it is complete\n"
    "      --details                with text: all that is known of each cause\n"
    "      --id ID                  this cause alone, in full; its first digits will do\n"
    "      --baseline OLD           findings or a report in JSON; only what is not in "
    "it\n"
    "                               counts as found (may be given several times)\n"
    "      --suppressions FILE      leave out what a rule in it matches (may be given\n"
    "                               several times)\n"
    "      --keep-suppressed        with sarif and html: that too, marked as suppressed\n"
    "      --suggest-suppressions   instead of a report, such a rule for each finding\n"
    "      --fail-on observed|predicted|potential\n"
    "                               the least sure grade that counts as found "
    "(potential)\n"
    "      --source DIR             look for source files below DIR too (may be given\n"
    "                               several times)\n"
    "      --context N              lines of source around a racing one, 0 to 15 (2); html\n"
    "                               has at least 5\n"
    "      --colour auto|always|never\n"
    "                               whether text has colours (auto: on a terminal)\n"
    "  -h, --help                   this text\n"
    "\n"
    "Exit status: 0 nothing found, 66 findings, 1 FILE cannot be written, 2 bad input "
    "or\n"
    "options.\n";

static const struct format {
	const char *name;
	dh_render_fn *render;
	bool marks; /* what is suppressed */
} formats[] = {
    {"text", dh_render_causes_text, false},
    {"json", dh_render_causes_json, false},
    {"sarif", dh_render_causes_sarif, true},
    {"html", dh_render_causes_html, true},
};

struct settings {
	const struct format *format;
	const char *output, *id;
	bool details;
	enum dh_grade fail_on;
	enum dh_colour colour;
	unsigned long context;
	struct dh_vec(const char *) baseline, folders, suppressions;
	bool suggest, keep_suppressed;
	const char *const *files;
	size_t files_len;
};

/* ---- options ---- */

static const struct format *find_format(const char *name)
{
	for (size_t i = 0; i < DH_ARRAY_LEN(formats); i++)
		if (strcmp(name, formats[i].name) == 0)
			return &formats[i];
	return NULL;
}

static int set_format(struct settings *s, const char *name)
{
	s->format = find_format(name);
	return s->format ? 0
			 : dh_usage_error("report: no format '%s'; see `deadheat report "
					  "--help`",
					  name);
}

static int set_grade(struct settings *s, const char *name)
{
	for (int g = DH_OBSERVED; g <= DH_PREDICTED; g++)
		if (strcmp(name, dh_grade_text((enum dh_grade)g)) == 0) {
			s->fail_on = (enum dh_grade)g;
			return 0;
		}
	return dh_usage_error(
	    "--fail-on takes observed, predicted or potential, not '%s'", name);
}

static int one_option(void *settings, char **argv, int opt)
{
	struct settings *s = settings;
	switch (opt) {
	case 'F':
		return set_format(s, optarg);
	case 'o':
		s->output = optarg;
		return 0;
	case 'd':
		s->details = true;
		return 0;
	case 'i':
		s->id = optarg;
		return 0;
	case 'b':
		dh_vec_push(&s->baseline, optarg);
		return 0;
	case 'S':
		dh_vec_push(&s->suppressions, optarg);
		return 0;
	case 'g':
		s->suggest = true;
		return 0;
	case 'k':
		s->keep_suppressed = true;
		return 0;
	case 'f':
		return set_grade(s, optarg);
	case 's':
		dh_vec_push(&s->folders, optarg);
		return 0;
	case 'x':
		return dh_parse_number("--context", optarg, 0, 15, &s->context)
			   ? 0
			   : DH_EXIT_USAGE;
	case 'c':
		return dh_parse_colour(optarg, &s->colour) ? 0 : DH_EXIT_USAGE;
	}
	return dh_bad_option(argv, opt);
}

static int settle(struct settings *s, int argc, char **argv)
{
	if (optind == argc)
		return dh_usage_error(
		    "report takes files with findings; see `deadheat report "
		    "--help`");
	s->files = (const char *const *)argv + optind;
	s->files_len = (size_t)(argc - optind);
	const char *dot = strrchr(s->output, '.');
	if (!s->format && dot)
		s->format = find_format(dot + 1);
	if (!s->format)
		s->format = &formats[0];
	if (s->keep_suppressed && !s->format->marks)
		return dh_usage_error("--keep-suppressed works with sarif and html, not %s",
				      s->format->name);
	return 0;
}

/* 0 to go on, else 1 + the exit status. */
static int parse(int argc, char **argv, struct settings *s)
{
	static const struct option longs[] = {
	    {"format", required_argument, NULL, 'F'},
	    {"output", required_argument, NULL, 'o'},
	    {"details", no_argument, NULL, 'd'},
	    {"id", required_argument, NULL, 'i'},
	    {"baseline", required_argument, NULL, 'b'},
	    {"suppressions", required_argument, NULL, 'S'},
	    {"suggest-suppressions", no_argument, NULL, 'g'},
	    {"keep-suppressed", no_argument, NULL, 'k'},
	    {"fail-on", required_argument, NULL, 'f'},
	    {"source", required_argument, NULL, 's'},
	    {"context", required_argument, NULL, 'x'},
	    {"colour", required_argument, NULL, 'c'},
	    {"help", no_argument, NULL, 'h'},
	    {NULL, 0, NULL, 0},
	};
	int bad, end = dh_parse_options(argc, argv, ":o:h", longs, help, one_option, s);
	if (end)
		return end;
	bad = settle(s, argc, argv);
	return bad ? 1 + bad : 0;
}

/* ---- the report ---- */

static int counts(const struct dh_causes *c, const struct settings *s,
		  const struct dh_cause *only)
{
	unsigned least = dh_grade_rank(s->fail_on);
	for (size_t i = 0; i < c->len; i++)
		for (size_t k = 0; k < c->at[i].variants_len; k++) {
			const struct dh_variant *v = &c->at[i].variants[k];
			if ((!only || only == &c->at[i]) && v->is_new &&
			    dh_grade_rank(v->grade) <= least)
				return DH_EXIT_RACES;
		}
	return DH_EXIT_OK;
}

static int find_cause(const struct dh_causes *c, const char *id,
		      const struct dh_cause **only)
{
	bool several;
	*only = id ? dh_causes_find(c, id, &several) : NULL;
	if (!id || *only)
		return 0;
	return dh_usage_error(several ? "the ids of several causes begin with '%s'"
				      : "no cause has the id '%s'",
			      id);
}

static int write_report(const struct settings *s, const struct dh_causes *c,
			const struct dh_causes *suppressed, struct dh_excerpts *excerpts)
{
	struct dh_render_options o = {
	    .excerpts = excerpts,
	    .suppressed = s->id ? NULL : suppressed,
	    .context = (unsigned)s->context,
	    .details = s->details,
	};
	struct dh_outfile out;
	int status = find_cause(c, s->id, &o.only);
	if (!status)
		status = dh_outfile_open(&out, s->output);
	if (status)
		return status;
	char *folder = getcwd(NULL, 0);
	o.folder = folder;
	o.colour = dh_terminal_colour(out.to, s->colour);
	o.columns = dh_terminal_columns(out.to);
	o.status = counts(c, s, o.only);
	if (s->suggest)
		dh_rules_suggest(c->from, out.to);
	else
		s->format->render(out.to, c, &o);
	free(folder);
	status = dh_outfile_close(&out, true);
	return status ? status : o.status;
}

static int report(const struct settings *s, struct dh_findings *found,
		  const struct dh_findings *baseline)
{
	struct dh_excerpts *excerpts = dh_excerpts_new(s->folders.at, s->folders.len);
	struct dh_causes *c = dh_causes_make(found, baseline, excerpts);
	struct dh_causes *suppressed = NULL;
	if (s->keep_suppressed) {
		dh_findings_turn(found);
		suppressed = dh_causes_make(found, NULL, excerpts);
		dh_findings_turn(found);
	}
	int status = write_report(s, c, suppressed, excerpts);
	if (suppressed)
		dh_causes_free(suppressed);
	dh_causes_free(c);
	dh_excerpts_free(excerpts);
	return status;
}

static int read_and_report(const struct settings *s)
{
	struct dh_findings *found = dh_findings_new(), *old = dh_findings_new();
	bool cut = false;
	int status = dh_read_findings(found, s->files, s->files_len, false, &cut);
	if (!status)
		status = dh_rules_apply(found, s->suppressions.at, s->suppressions.len,
					s->keep_suppressed);
	if (!status)
		status =
		    dh_read_findings(old, s->baseline.at, s->baseline.len, true, &cut);
	if (!status)
		status = report(s, found, s->baseline.len ? old : NULL);
	dh_findings_free(found);
	dh_findings_free(old);
	return cut ? DH_EXIT_USAGE : status;
}

int dh_cmd_report(int argc, char **argv)
{
	struct settings s = {.output = "-", .fail_on = DH_POTENTIAL, .context = 2};
	int status = parse(argc, argv, &s);
	status = status ? status - 1 : read_and_report(&s);
	dh_vec_free(&s.baseline);
	dh_vec_free(&s.suppressions);
	dh_vec_free(&s.folders);
	return status;
}
