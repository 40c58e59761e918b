/* SPDX-License-Identifier: MIT */
/*
 * Regular expressions, patterns of file names and words as the shell has them: the text
 * that they read, and what is found. A compiled expression that several threads use is
 * read by them; what the C library keeps behind it has a lock of its own.
 */
#define _GNU_SOURCE
#include <fnmatch.h>
#include <glob.h>
#include <regex.h>
#include <wordexp.h>
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"

/* ---- regular expressions ---- */

DH_REAL_WANT(regcomp);
DH_EXPORT int regcomp(regex_t *to, const char *pattern, int flags)
{
	uint64_t pc = DH_CALLER();
	dh_reads_text(pattern, pc);
	DH_WRITES_OBJECT(to, pc);
	dh_call_begin(pc);
	int r = DH_REAL(regcomp)(to, pattern, flags);
	dh_call_end();
	return r;
}

/* Under another name here: the header has it with an array of variable length. */
DH_REAL_WANT(regexec);
DH_EXPORT int match(const regex_t *regex, const char *text, size_t count,
		    regmatch_t *matches, int flags) __asm__("regexec");

int match(const regex_t *regex, const char *text, size_t count, regmatch_t *matches,
	  int flags)
{
	uint64_t pc = DH_CALLER();
	DH_READS_OBJECT(regex, pc);
	if (flags & REG_STARTEND)
		dh_reads(text + matches->rm_so, (size_t)(matches->rm_eo - matches->rm_so),
			 pc);
	else
		dh_reads_text(text, pc);
	int r = DH_REAL(regexec)(regex, text, count, matches, flags);
	if (r == 0 && !regex->no_sub && count)
		dh_writes(matches, count * sizeof *matches, pc);
	return r;
}

DH_REAL_WANT(regfree);
DH_EXPORT void regfree(regex_t *regex)
{
	DH_WRITES_OBJECT(regex, DH_CALLER());
	DH_REAL(regfree)(regex);
}

DH_REAL_WANT(regerror);
DH_EXPORT size_t regerror(int error, const regex_t *restrict regex, char *restrict to,
			  size_t room)
{
	size_t n = DH_REAL(regerror)(error, regex, to, room);
	dh_writes(to, DH_MIN(n, room), DH_CALLER());
	return n;
}

/* ---- names of files ---- */

DH_REAL_WANT(fnmatch);
DH_EXPORT int fnmatch(const char *pattern, const char *name, int flags)
{
	uint64_t pc = DH_CALLER();
	dh_reads_text(pattern, pc);
	dh_reads_text(name, pc);
	return DH_REAL(fnmatch)(pattern, name, flags);
}

#define GLOB(name, type)                                                                 \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(const char *pattern, int flags,                               \
			   int (*failed)(const char *, int), type *found)                \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		dh_reads_text(pattern, pc);                                              \
		DH_WRITES_OBJECT(found, pc);                                             \
		dh_call_begin(pc);                                                       \
		int r = DH_REAL(name)(pattern, flags, failed, found);                    \
		dh_call_end();                                                           \
		return r;                                                                \
	}
GLOB(glob, glob_t)
GLOB(glob64, glob64_t)

#define GLOB_FREE(name, type)                                                            \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT void name(type *found)                                                 \
	{                                                                                \
		DH_WRITES_OBJECT(found, DH_CALLER());                                    \
		DH_REAL(name)(found);                                                    \
	}
GLOB_FREE(globfree, glob_t)
GLOB_FREE(globfree64, glob64_t)

/* ---- words ---- */

DH_REAL_WANT(wordexp);
DH_EXPORT int wordexp(const char *restrict words, wordexp_t *restrict found, int flags)
{
	uint64_t pc = DH_CALLER();
	dh_reads_text(words, pc);
	DH_WRITES_OBJECT(found, pc);
	dh_call_begin(pc);
	int r = DH_REAL(wordexp)(words, found, flags);
	dh_call_end();
	return r;
}

DH_REAL_WANT(wordfree);
DH_EXPORT void wordfree(wordexp_t *found)
{
	DH_WRITES_OBJECT(found, DH_CALLER());
	DH_REAL(wordfree)(found);
}
