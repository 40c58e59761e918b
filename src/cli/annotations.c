/* SPDX-License-Identifier: MIT */
/* See annotations.h. The libraries are those that the dynamic loader says it would load.
 */
#define _GNU_SOURCE
#include "cli/annotations.h"
#include "base/nearest.h"
#include "cli/cmd.h"
#include "report/ranges.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct annotations {
	const char *file;
	struct dh_vec(struct dh_range_rule) rules;
	struct dh_vec(unsigned) lines; /* of the rules */
	FILE *out;		       /* the value of the variable */
	char *text;
	size_t len;
};

/* ---- the file ---- */

static const struct {
	const char *name;
	enum dh_range_rule_kind kind;
} kinds[] = {
    {"variable", DH_RULE_VARIABLE},
    {"function", DH_RULE_FUNCTION},
    {"file", DH_RULE_FILE},
    {"type", DH_RULE_TYPE},
};

static int take_line(struct annotations *a, char *line, unsigned number)
{
	char *end = line + strlen(line), *colon;
	const char *best = kinds[0].name;
	while (isspace((unsigned char)*line))
		line++;
	while (end > line && isspace((unsigned char)end[-1]))
		*--end = '\0';
	if (!*line || *line == '#')
		return 0;
	colon = strchr(line, ':');
	if (!colon || !colon[1])
		return dh_usage_error("%s:%u: '%s' is no annotation, which is KIND:NAME",
				      a->file, number, line);
	*colon = '\0';
	for (size_t i = 0; i < DH_ARRAY_LEN(kinds); i++) {
		if (strcmp(line, kinds[i].name) == 0) {
			struct dh_range_rule r = {kinds[i].kind, strdup(colon + 1), 0};
			dh_vec_push(&a->rules, r);
			dh_vec_push(&a->lines, number);
			return 0;
		}
		if (dh_nearest_distance(line, kinds[i].name) <
		    dh_nearest_distance(line, best))
			best = kinds[i].name;
	}
	return dh_usage_error(
	    "%s:%u: no kind of annotation is called '%s'; the nearest is "
	    "'%s'",
	    a->file, number, line, best);
}

static int read_file(struct annotations *a)
{
	FILE *in = fopen(a->file, "re");
	char *line = NULL;
	size_t room = 0;
	unsigned number = 0;
	int bad = 0;
	if (!in)
		return dh_usage_error("%s: %s", a->file, strerror(errno));
	while (!bad && getline(&line, &room, in) >= 0)
		bad = take_line(a, line, ++number);
	if (!bad && ferror(in))
		bad = dh_usage_error("%s: %s", a->file, strerror(errno));
	free(line);
	fclose(in);
	return bad;
}

/* ---- modules ---- */

static void add_module(struct annotations *a, const char *path)
{
	struct dh_ranges ranges = {0};
	char *real = realpath(path, NULL);
	if (real && dh_ranges_find(real, a->rules.at, a->rules.len, &ranges) &&
	    ranges.len) {
		fprintf(a->out, "%s\n", real);
		for (size_t i = 0; i < ranges.len; i++)
			fprintf(a->out, "%c %" PRIx64 " %" PRIx64 "\n",
				ranges.at[i].code ? 'c' : 'd', ranges.at[i].start,
				ranges.at[i].end);
	}
	dh_vec_free(&ranges);
	free(real);
}

/* "	libx.so => /path/libx.so (0x...)" */
static void add_library(struct annotations *a, char *line)
{
	char *path = strstr(line, " => "), *end = path ? strrchr(path, '(') : NULL;
	if (!end || end - path < 6)
		return;
	end[-1] = '\0';
	add_module(a, path + 4);
}

/* The program is loaded, and ends before anything of it runs. */
static void add_libraries(struct annotations *a, const char *program)
{
	int ends[2];
	char *line = NULL;
	size_t room = 0;
	if (pipe(ends) < 0)
		return;
	pid_t pid = fork();
	if (pid == 0) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
		execl(program, program, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	FILE *in = fdopen(ends[0], "r");
	while (in && pid > 0 && getline(&line, &room, in) >= 0)
		add_library(a, line);
	if (in)
		fclose(in);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	free(line);
}

static void tell_unused(const struct annotations *a)
{
	for (size_t i = 0; i < a->rules.len; i++)
		if (!a->rules.at[i].found)
			fprintf(stderr,
				"deadheat: %s:%u: nothing is called '%s' in the program "
				"and its libraries\n",
				a->file, a->lines.at[i], a->rules.at[i].pattern);
}

static int look_up(struct annotations *a, const char *program)
{
	enum { LONGEST = 120 * 1024 }; /* the kernel has a limit for one variable */
	a->out = open_memstream(&a->text, &a->len);
	if (!a->out)
		return DH_EXIT_FAILED;
	add_module(a, program);
	add_libraries(a, program);
	fclose(a->out);
	tell_unused(a);
	if (a->len > LONGEST)
		return dh_usage_error("%s: names too many places; be narrower", a->file);
	setenv("DEADHEAT_UNTRACKED", a->text, 1);
	return 0;
}

int dh_annotations_apply(const char *file, const char *program)
{
	struct annotations a = {.file = file};
	int bad = read_file(&a);
	if (!bad)
		bad = look_up(&a, program);
	for (size_t i = 0; i < a.rules.len; i++)
		free((char *)(uintptr_t)a.rules.at[i].pattern);
	dh_vec_free(&a.rules);
	dh_vec_free(&a.lines);
	free(a.text);
	return bad;
}
