/* SPDX-License-Identifier: MIT */
/* See compiler.h. */
#define _GNU_SOURCE
#include "cli/compiler.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- by name ---- */

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* Where `what` stands in a file name as a part of its own: the gcc of
 * x86_64-linux-gnu-gcc-12, not the cc of ccache. NULL where it does not. */
static const char *part_of(const char *name, const char *what)
{
	size_t n = strlen(what);
	for (const char *at = name; (at = strstr(at, what)); at++) {
		bool begins = at == name || !isalnum((unsigned char)at[-1]);
		if (begins && !isalpha((unsigned char)at[n]))
			return at;
	}
	return NULL;
}

/* gcc -> g++, clang-22 -> clang++-22, cc -> c++, in the last part of the path. NULL
 * where the name is none of these. */
static char *cxx_name(const char *cc)
{
	static const char *const pairs[][2] = {
	    {"clang", "clang++"}, {"gcc", "g++"}, {"cc", "c++"}};
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		const char *at = part_of(last_part(cc), pairs[i][0]);
		char *made;
		if (!at)
			continue;
		const char *rest = at + strlen(pairs[i][0]);
		if (strncmp(rest, "++", 2) == 0)
			return strdup(cc);
		return asprintf(&made, "%.*s%s%s", (int)(at - cc), cc, pairs[i][1],
				rest) < 0
			   ? NULL
			   : made;
	}
	return NULL;
}

/* The same of a compiler in words, of which the first that can be is its name. */
static char *cxx_of(const char *cc)
{
	static const char blanks[] = " \t";
	for (const char *at = cc; *(at += strspn(at, blanks));) {
		size_t n = strcspn(at, blanks);
		char *word = strndup(at, n), *name = word ? cxx_name(word) : NULL, *made;
		free(word);
		if (name &&
		    asprintf(&made, "%.*s%s%s", (int)(at - cc), cc, name, at + n) < 0)
			made = NULL;
		if (name) {
			free(name);
			return made;
		}
		at += n;
	}
	return NULL;
}

char *dh_compiler_choose(bool cxx)
{
	const char *cc = getenv("DEADHEAT_CC"), *own = cxx ? getenv("DEADHEAT_CXX") : cc;
	if (own && *own)
		return strdup(own);
	char *made = cxx && cc && *cc ? cxx_of(cc) : NULL;
	return made ? made : strdup(cxx ? "g++" : "gcc");
}

/* ---- by asking ---- */

static void become(char *const *words, const char *const *question)
{
	size_t n = 0, more = 0;
	while (words[n])
		n++;
	while (question[more])
		more++;
	char **all = calloc(n + more + 1, sizeof *all);
	if (all) {
		memcpy(all, words, n * sizeof *all);
		memcpy(all + n, question, more * sizeof *all);
		execvp(all[0], all);
	}
	_exit(127);
}

/* What the compiler prints when called with more words; to be read to its end and given
 * to hear_out(). NULL where it cannot be asked. */
static FILE *ask(char *const *words, const char *const *question, pid_t *pid)
{
	int fds[2];
	if (pipe(fds))
		return NULL;
	*pid = fork();
	if (*pid == 0) {
		dup2(fds[1], STDOUT_FILENO);
		close(fds[0]);
		close(fds[1]);
		become(words, question);
	}
	close(fds[1]);
	FILE *answer = *pid > 0 ? fdopen(fds[0], "r") : NULL;
	if (!answer)
		close(fds[0]);
	return answer;
}

static void hear_out(FILE *answer, pid_t pid)
{
	if (answer)
		fclose(answer);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static bool defines_clang(char *const *words)
{
	static const char *const question[] = {"-dM", "-E", "-x", "c", "/dev/null", NULL};
	pid_t pid = -1;
	FILE *answer = ask(words, question, &pid);
	char text[512];
	bool clang = false;
	while (answer && fgets(text, sizeof text, answer))
		clang |= strncmp(text, "#define __clang__ ", 18) == 0;
	hear_out(answer, pid);
	return clang;
}

bool dh_compiler_is_clang(char *const *words)
{
	size_t n = 0;
	while (words[n])
		n++;
	/* An option tells nothing, whatever it names. */
	const char *name = n && *words[n - 1] != '-' ? last_part(words[n - 1]) : "";
	if (strstr(name, "clang"))
		return true;
	return !strstr(name, "gcc") && !strstr(name, "g++") && defines_clang(words);
}

char *dh_compiler_file(char *const *words, const char *name)
{
	char *option = NULL, *path = NULL;
	size_t room = 0;
	pid_t pid = -1;
	if (asprintf(&option, "-print-file-name=%s", name) < 0)
		return NULL;
	FILE *answer = ask(words, (const char *const[]){option, NULL}, &pid);
	ssize_t n = answer ? getline(&path, &room, answer) : -1;
	hear_out(answer, pid);
	free(option);
	if (n > 0 && path[n - 1] == '\n')
		path[n - 1] = '\0';
	/* A name that it does not know comes back as it was. */
	if (n > 0 && strchr(path, '/'))
		return path;
	free(path);
	return NULL;
}
