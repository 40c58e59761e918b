/* SPDX-License-Identifier: MIT */
/* What the subcommands share in reading their options. */
#include "cli/cmd.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int dh_usage_error(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	fputs("deadheat: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	return DH_EXIT_USAGE;
}

int dh_bad_option(char **argv, int opt)
{
	const char *what = opt == ':' ? "needs an argument" : "is not known";
	char letter[] = {'-', (char)optopt, '\0'};
	/* A long option leaves its word behind; a letter may stand in a cluster. */
	bool is_long = strncmp(argv[optind - 1], "--", 2) == 0;
	const char *text = is_long || !optopt ? argv[optind - 1] : letter;
	return dh_usage_error("%s: option '%s' %s; see `deadheat %s --help`", argv[0],
			      text, what, argv[0]);
}

int dh_parse_options(int argc, char **argv, const char *letters,
		     const struct option *longs, const char *help, dh_option_fn *one,
		     void *settings)
{
	int opt;
	opterr = 0;
	while ((opt = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		if (opt == 'h') {
			fputs(help, stdout);
			return 1 + DH_EXIT_OK;
		}
		int bad = one(settings, argv, opt);
		if (bad)
			return 1 + bad;
	}
	return 0;
}

int dh_parse_number(const char *option, const char *text, unsigned long min,
		    unsigned long max, unsigned long *value)
{
	char *end;
	errno = 0;
	unsigned long v = strtoul(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || v < min || v > max) {
		dh_usage_error("%s takes a whole number from %lu to %lu, not '%s'",
			       option, min, max, text);
		return 0;
	}
	*value = v;
	return 1;
}
