/* SPDX-License-Identifier: MIT */
/* See debug.h. The commands are in runtime/deadheat.gdb. */
#define _GNU_SOURCE
#include "cli/debug.h"
#include "base/vec.h"
#include "cli/cmd.h"
#include "cli/place.h"
#include "cli/program.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct arguments dh_vec(char *);

/* The arguments that they stay are the process's for good. */
static void add(struct arguments *a, const char *text)
{
	dh_vec_push(a, (char *)(uintptr_t)text);
}

static void command(struct arguments *a, const char *text)
{
	add(a, "-ex");
	add(a, text);
}

/* What gdb says goes to standard error, so that the program's output stays its own: gdb
 * gets that as its standard output, and the program its real one back. */
static void part_outputs(struct arguments *a)
{
	enum { KEPT = 9 };
	command(a, "set exec-wrapper /bin/sh -c 'exec \"$0\" \"$@\" 1>&9 9>&-'");
	if (dup2(STDOUT_FILENO, KEPT) == KEPT)
		dup2(STDERR_FILENO, STDOUT_FILENO);
}

/* A library that is to be loaded before all others is the program's affair, not gdb's. */
static void hand_on_preload(struct arguments *a)
{
	const char *value = getenv("LD_PRELOAD");
	char *text;
	if (!value || asprintf(&text, "set environment LD_PRELOAD %s", value) < 0)
		return;
	command(a, text);
	unsetenv("LD_PRELOAD");
}

static void commands(struct arguments *a, bool terminal, enum dh_break when)
{
	command(a, "set disable-randomization off");
	hand_on_preload(a);
	command(a, when == DH_BREAK_END ? "_dh_break_end" : "_dh_break_race");
	if (terminal) {
		command(a, "run");
		return;
	}
	command(a, "set print thread-events off");
	command(a, "set print inferior-events off");
	part_outputs(a);
	command(a, "_dh_batch");
}

int dh_debug_become(const char *path, char **argv, enum dh_break when)
{
	char *gdb = dh_program_find("gdb"), *folder = dh_place_libraries();
	char *script = folder ? dh_place_join(folder, "deadheat.gdb") : NULL;
	bool terminal = isatty(STDIN_FILENO);
	struct arguments a = {0};
	if (!gdb)
		return dh_usage_error("run: --break needs gdb, which is not there; "
				      "install it, or leave --break out");
	if (!script || access(script, R_OK) != 0)
		return dh_usage_error("run: deadheat.gdb is not where it should be; "
				      "is the installation complete?");
	add(&a, "gdb");
	add(&a, "-q");
	add(&a, "-nx");
	if (!terminal)
		add(&a, "-batch");
	add(&a, "-x");
	add(&a, script);
	commands(&a, terminal, when);
	add(&a, "--args");
	add(&a, path);
	for (argv++; *argv; argv++)
		add(&a, *argv);
	add(&a, NULL);
	setenv("DEADHEAT_BREAK", when == DH_BREAK_END ? "end" : "first", 1);
	execv(gdb, a.at);
	return dh_usage_error("run: %s: %s", gdb, strerror(errno));
}
