/* SPDX-License-Identifier: MIT */
/*
 * Stands before the assembler in the builds of `deadheat cc`, under its name and with its
 * arguments: has the compiler's inline assembly tell of its synchronisation (rewrite.h),
 * and becomes the assembler.
 *
 * A build never fails for our sake. What is not compiler output for x86-64 from one file
 * or from standard input goes on as it is; and where the assembler does not take what we
 * made of the text, it gets the text as it was.
 *
 * The assembler is the one that the compiler would have found. gcc passes on where it
 * looks for programs ($COMPILER_PATH), then comes $PATH. clang has one of its own, and
 * `deadheat cc` leaves its name in DH_ASSEMBLER.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "assembler/bitcode.h"
#include "assembler/rewrite.h"
#include "runtime/assembly.h"

/* ---- the assembler ---- */

static bool same_file(const struct stat *a, const char *path)
{
	struct stat b;
	return stat(path, &b) == 0 && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

/* The first of the name in a list of folders that is not this program. */
static bool find_in(const char *list, char path[PATH_MAX])
{
	struct stat self;
	bool known = stat("/proc/self/exe", &self) == 0;
	for (const char *at = list; at && *at;) {
		size_t n = strcspn(at, ":");
		int len = snprintf(path, PATH_MAX, "%.*s/as", (int)n, n ? at : ".");
		if (len < PATH_MAX && access(path, X_OK) == 0 &&
		    !(known && same_file(&self, path)))
			return true;
		at += n + (at[n] == ':');
	}
	return false;
}

static _Noreturn void give_up(void)
{
	fprintf(stderr, "deadheat: cannot run the assembler: %s\n", strerror(errno));
	_exit(127);
}

/* Has the argument a value, in the next one? */
static bool takes_value(const char *arg)
{
	static const char *const all[] = {"-o", "-I", "--defsym", "--MD",
					  "--debug-prefix-map"};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (strcmp(arg, all[i]) == 0)
			return true;
	return false;
}

/* clang's own takes what clang would pass to another one in the compiler's way, and *at is then
 * the last one of what was taken. NULL: nothing is wanted. Debug information is in the text. */
static char *translated(char ***at)
{
	const char *arg = **at;
	char *made;
	if (strcmp(arg, "--64") == 0)
		return strdup("-m64");
	if (strncmp(arg, "-g", 2) == 0)
		return strdup("-g0");
	if (*arg != '-' || !arg[1] || strcmp(arg, "-o") == 0 ||
	    strncmp(arg, "-I", 2) == 0)
		return strdup(arg);
	const char *value = takes_value(arg) && (*at)[1] ? *++*at : NULL;
	if (strncmp(arg, "--debug-prefix-map", 18) == 0)
		return NULL;
	return asprintf(&made, value ? "-Wa,%s,%s" : "-Wa,%s", arg, value) < 0 ? NULL : made;
}

/* It warns of what clang itself writes: checksums of some sources and not of others. */
static void become_clang(char *words, char **args)
{
	static const char *const how[] = {"-Wno-unused-command-line-argument",
					  "-Wa,--no-warn", "-c", "-x", "assembler"};
	enum { HOW = sizeof how / sizeof *how };
	size_t most = strlen(words) + HOW + 2, n = 0;
	for (char **at = args; *at; at++)
		most++;
	char **all = calloc(most, sizeof *all), *rest = NULL;
	if (!all)
		give_up();
	for (char *w = strtok_r(words, " \t", &rest); w; w = strtok_r(NULL, " \t", &rest))
		all[n++] = w;
	for (size_t i = 0; i < HOW; i++)
		all[n++] = strdup(how[i]);
	for (char **at = args + 1; *at; at++)
		if ((all[n] = translated(&at)))
			n++;
	execvp(all[0], all);
	give_up();
}

static void become(char **args)
{
	char path[PATH_MAX], *clang = getenv(DH_ASSEMBLER);
	if (clang && *clang)
		become_clang(clang, args);
	if (find_in(getenv("COMPILER_PATH"), path) || find_in(getenv("PATH"), path))
		execv(path, args);
	else
		errno = ENOENT;
	give_up();
}

/* ---- its arguments ---- */

struct command {
	char **args;
	int input;  /* the argument that names the input; 0: standard input */
	bool plain; /* as a compiler calls it, for x86-64 */
	bool one;   /* has one input */
};

/* Another machine or syntax than is understood here, or a list of arguments in a file. */
static bool is_strange(const char *arg)
{
	static const char *const all[] = {"--32", "--x32", "-msyntax=intel",
					  "-mnaked-reg", "--alternate"};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (strcmp(arg, all[i]) == 0)
			return true;
	return *arg == '@';
}

static struct command read_command(int argc, char **argv)
{
	struct command c = {.args = argv, .plain = true};
	int inputs = 0;
	for (int i = 1; i < argc; i++) {
		if (is_strange(argv[i])) {
			c.plain = false;
		} else if (takes_value(argv[i])) {
			i++;
		} else if (*argv[i] != '-' || !argv[i][1]) {
			c.input = i;
			inputs++;
		}
	}
	c.one = inputs <= 1;
	c.plain &= c.one;
	return c;
}

static bool reads_stdin(const struct command *c)
{
	return !c->input || strcmp(c->args[c->input], "-") == 0;
}

/* ---- texts ---- */

/* All of standard input, which then starts anew for who comes after us. */
static bool keep_stdin(void)
{
	char part[1 << 16];
	ssize_t n;
	int fd = memfd_create("assembly", MFD_CLOEXEC);
	if (fd < 0)
		return false;
	while ((n = read(STDIN_FILENO, part, sizeof part)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || write(fd, part, (size_t)n) != n) {
			perror("deadheat: standard input");
			_exit(1);
		}
	}
	lseek(fd, 0, SEEK_SET);
	dup2(fd, STDIN_FILENO);
	close(fd);
	return true;
}

/* Empty where it cannot be had. */
static struct dh_text map(int fd)
{
	struct stat st;
	struct dh_text t = {NULL, NULL};
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0)
		return t;
	char *at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (at != MAP_FAILED)
		t = (struct dh_text){at, at + st.st_size};
	return t;
}

static struct dh_text text_of(const struct command *c)
{
	if (reads_stdin(c))
		return keep_stdin() ? map(STDIN_FILENO) : (struct dh_text){NULL, NULL};
	FILE *in = fopen(c->args[c->input], "re");
	struct dh_text t = in ? map(fileno(in)) : (struct dh_text){NULL, NULL};
	if (in)
		fclose(in);
	return t;
}

/* A file with the new text, at its start; -1 where there is none to be had or to be
 * made. */
static int rewritten(struct dh_text text)
{
	int fd = memfd_create("assembly", MFD_CLOEXEC);
	int copy = fd >= 0 ? dup(fd) : -1;
	FILE *to = copy >= 0 ? fdopen(copy, "w") : NULL;
	bool good = to && dh_rewrite(text, to) > 0;
	if (to)
		good &= fclose(to) == 0;
	if (good && lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* ---- assembling ---- */

/* In the child: the text comes from fd, and messages go to another. */
static void assemble(const struct command *c, int argc, int fd, int messages)
{
	char **args = calloc((size_t)argc + 2, sizeof *args), dash[] = "-";
	if (!args || dup2(fd, STDIN_FILENO) < 0 || dup2(messages, STDERR_FILENO) < 0)
		_exit(1);
	memcpy(args, c->args, (size_t)argc * sizeof *args);
	args[c->input ? c->input : argc] = dash;
	become(args);
}

static bool succeeds(pid_t pid)
{
	int status;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Does the assembler take it? Its warnings are shown only if so. */
static bool try(const struct command *c, int argc, int fd)
{
	int messages = memfd_create("messages", MFD_CLOEXEC);
	pid_t pid = messages >= 0 ? fork() : -1;
	if (pid == 0)
		assemble(c, argc, fd, messages);
	if (pid < 0 || !succeeds(pid))
		return false;
	struct dh_text said = map(messages);
	return !said.at || write(STDERR_FILENO, said.at, dh_text_len(said)) >= 0;
}

/* Is assembled with what inline assembly tells, if it has any and is to. */
static bool done(const struct command *c, int argc, struct dh_text text)
{
	const char *asked = getenv("DEADHEAT_ASM");
	if (!c->plain || !text.at || (asked && strcmp(asked, "no") == 0))
		return false;
	int fd = dh_rewrite_worthwhile(text) ? rewritten(text) : -1;
	return fd >= 0 && try(c, argc, fd);
}

int main(int argc, char **argv)
{
	struct command c = read_command(argc, argv);
	struct dh_text text = {NULL, NULL};
	if (c.one)
		text = text_of(&c);
	if (text.at && dh_bitcode_is(text)) {
		int made = dh_bitcode_assembly(text);
		if (made < 0)
			return 1;
		if (!done(&c, argc, map(made)))
			assemble(&c, argc, made, STDERR_FILENO);
		return 0;
	}
	if (done(&c, argc, text))
		return 0;
	become(argv);
}
