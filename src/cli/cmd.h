/* SPDX-License-Identifier: MIT */
/*
 * The subcommands of `deadheat`, one file each (cmd_NAME.c) with a man page of the
 * same name. Each gets its own argv, with its name as argv[0], and returns the exit
 * status.
 */
#ifndef DH_CLI_CMD_H
#define DH_CLI_CMD_H

enum {
	DH_EXIT_OK = 0,
	DH_EXIT_FAILED = 1, /* the environment: a full disk, no memory */
	DH_EXIT_USAGE = 2,  /* bad input or options */
	DH_EXIT_RACES = 66, /* races were found */
};

int dh_cmd_analyze(int argc, char **argv);
int dh_cmd_cc(int argc, char **argv); /* c++ too */
int dh_cmd_diff(int argc, char **argv);
int dh_cmd_engines(int argc, char **argv);
int dh_cmd_predict(int argc, char **argv);
int dh_cmd_print(int argc, char **argv);
int dh_cmd_record(int argc, char **argv);
int dh_cmd_report(int argc, char **argv);
int dh_cmd_run(int argc, char **argv);
int dh_cmd_symbolize(int argc, char **argv); /* the runtime's helper process */

/* Says `deadheat: ...` on stderr, one line, and returns DH_EXIT_USAGE. */
int dh_usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* For getopt's '?' and ':': says what was wrong with the option, and where the help
 * is. argv[0] is the command's name. Returns DH_EXIT_USAGE. */
int dh_bad_option(char **argv, int opt);

/* Reads the options of a command, each by `one` with the settings: 0, or the exit status
 * where it is wrong. --help is seen to here. Returns 0 to go on (optind is at the first
 * operand), else 1 + the exit status. */
struct option;
typedef int dh_option_fn(void *settings, char **argv, int opt);
int dh_parse_options(int argc, char **argv, const char *letters,
		     const struct option *longs, const char *help, dh_option_fn *one,
		     void *settings);

/* Parses a whole number from min to max. False and a message where it is none. */
int dh_parse_number(const char *option, const char *text, unsigned long min,
		    unsigned long max, unsigned long *value);

#endif
