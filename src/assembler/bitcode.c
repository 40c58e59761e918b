/* SPDX-License-Identifier: MIT */
/*
 * See bitcode.h. The code generator is clang's own, without its optimiser, which has done
 * its work: it is told what the command line had for it.
 */
#define _GNU_SOURCE
#include "assembler/bitcode.h"
#include "pass/pass.h"
#include "runtime/assembly.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

bool dh_bitcode_is(struct dh_text text)
{
	return dh_pass_is_bitcode(text.at, dh_text_len(text));
}

/* A file with these bytes, at its start; -1 where there is none to be had. */
static int file_of(struct dh_text text)
{
	int fd = memfd_create("bitcode", MFD_CLOEXEC);
	for (const char *at = text.at; fd >= 0 && at < text.end;) {
		ssize_t n = write(fd, at, (size_t)(text.end - at));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			close(fd);
			return -1;
		}
		at += n;
	}
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

/* The same in another process, so that nothing that goes wrong in there does any harm. */
static int passed(struct dh_text text)
{
	const char *library = getenv(DH_LLVM_LIBRARY);
	int fd = library ? memfd_create("bitcode", MFD_CLOEXEC) : -1, status;
	if (fd < 0)
		return -1;
	pid_t pid = fork();
	if (pid == 0)
		_exit(dh_pass_run(library, text.at, dh_text_len(text), fd) ? 0 : 1);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
	    lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	close(fd);
	return -1;
}

/* ---- clang ---- */

static size_t add_words(char **all, size_t n, const char *text, const char *between)
{
	char *words = text ? strdup(text) : NULL, *rest = NULL;
	if (words)
		for (char *w = strtok_r(words, between, &rest); w;
		     w = strtok_r(NULL, between, &rest))
			all[n++] = w;
	return n;
}

static _Noreturn void become_generator(int in, int out)
{
	/* -fdwarf-directory-asm as where clang compiles C: else files are told without their
	 * folders, and one with two spellings is refused as told of twice. */
	static char *const how[] = {"-w",      "-fno-integrated-as",
				    "-fdwarf-directory-asm",
				    "-Xclang", "-disable-llvm-passes",
				    "-S",      "-x",
				    "ir",      "-",
				    "-o",      "-"};
	enum { HOW = sizeof how / sizeof *how };
	const char *clang = getenv(DH_ASSEMBLER), *codegen = getenv(DH_CODEGEN);
	size_t most = (clang ? strlen(clang) : 0) + (codegen ? strlen(codegen) : 0),
	       n = 0;
	char **all = calloc(most + HOW + 1, sizeof *all);
	if (!all || !clang || dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0)
		_exit(1);
	n = add_words(all, n, clang, " \t");
	n = add_words(all, n, codegen, "\n");
	for (size_t i = 0; i < HOW; i++)
		all[n++] = how[i];
	execvp(all[0], all);
	_exit(127);
}

int dh_bitcode_assembly(struct dh_text text)
{
	int in = passed(text), out = memfd_create("assembly", MFD_CLOEXEC), status = 1;
	if (in < 0)
		in = file_of(text);
	pid_t pid = in >= 0 && out >= 0 ? fork() : -1;
	if (pid == 0)
		become_generator(in, out);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid < 0)
		perror("deadheat: cannot run the compiler");
	if (in >= 0)
		close(in);
	if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
	    lseek(out, 0, SEEK_SET) == 0)
		return out;
	if (out >= 0)
		close(out);
	return -1;
}
