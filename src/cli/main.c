/* SPDX-License-Identifier: MIT */
/* `deadheat COMMAND ...`: finds the command and hands over. */
#include "cli/cmd.h"
#include "record/replay.h"

#include <stdio.h>
#include <string.h>

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary; /* NULL: not for the user */
} commands[] = {
	{"analyze", dh_cmd_analyze, "find races in a recorded trace"},
	{"cc", dh_cmd_cc, "compile and link C for race detection"},
	{"c++", dh_cmd_cc, "the same for C++"},
	{"diff", dh_cmd_diff, "compare the findings of two files"},
	{"engines", dh_cmd_engines, "list detection algorithms and filters"},
	{"predict", dh_cmd_predict, "find races that a recorded run could have had"},
	{"print", dh_cmd_print, "show a trace, or turn it into the other format"},
	{"record", dh_cmd_record, "run a program and record it, for predict"},
	{"report", dh_cmd_report, "merge findings of many runs, rank and show them"},
	{"run", dh_cmd_run, "run a program and report its races"},
	{"symbolize", dh_cmd_symbolize, NULL},
};

static void usage(FILE *to)
{
	fputs("usage: deadheat COMMAND [OPTIONS]\n\n", to);
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		if (commands[i].summary)
			fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].summary);
	fputs("\n`deadheat COMMAND --help` tells more; so do the man pages "
	      "deadheat-COMMAND(1).\n",
	      to);
}

static int dispatch(int argc, char **argv)
{
	if (argc < 2) {
		usage(stderr);
		return DH_EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "help") == 0) {
		usage(stdout);
		return DH_EXIT_OK;
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts("deadheat " DH_VERSION);
		return DH_EXIT_OK;
	}
	dh_reader_understand(&dh_replay);
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].run(argc - 1, argv + 1);
	return dh_usage_error("no command '%s'; `deadheat --help` lists them", argv[1]);
}

/* Commands whose output is their result have looked after it themselves. */
int main(int argc, char **argv)
{
	int status = dispatch(argc, argv);
	if (status == DH_EXIT_OK && (fflush(stdout) || ferror(stdout))) {
		fprintf(stderr, "deadheat: cannot write standard output: %m\n");
		return DH_EXIT_FAILED;
	}
	return status;
}
