/* SPDX-License-Identifier: MIT */
/* See ccargs.h. */
#define _GNU_SOURCE
#include "cli/ccargs.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NESTED = 16 }; /* response files within response files */

struct scan {
	struct dh_ccargs *found;
	bool skip;	/* the next argument belongs to the last option */
	bool language;	/* which is -x */
	bool as_header; /* what follows is a header, says -x */
};

/* Options whose value is the next argument; what it looks like means nothing. */
static const char *const with_value[] = {
    "-o",
    "-x",
    "-D",
    "-U",
    "-I",
    "-L",
    "-B",
    "-T",
    "-u",
    "-z",
    "-A",
    "-G",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-idirafter",
    "-imacros",
    "-imultilib",
    "-include",
    "-iprefix",
    "-iquote",
    "-isysroot",
    "-isystem",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-include-pch",
    "-arch",
    "-target",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xclang",
    "-Xanalyzer",
    "-mllvm",
    "-aux-info",
    "-wrapper",
    "--param",
    "-dumpbase",
    "-dumpdir",
    "-dumpbase-ext",
    "-gcc-toolchain",
    "--sysroot",
    "-specs",
    "-e",
    "-rpath",
    "-soname",
    "-install_name",
    "-framework",
};

static const char *const early[] = {
    "-c",
    "-S",
    "-E",
    "-M",
    "-MM",
    "-fsyntax-only",
    "--compile",
    "--assemble",
    "--preprocess",
    "--analyze",
    "--precompile",
    "-emit-ast",
    "--dependencies",
    "--user-dependencies",
};

/* Options, as they begin, with which clang does something else than to hand all that
 * comes of one file to the assembler. */
static const char *const straying[] = {
    "-S",
    "-E",
    "-M",
    "-flto",
    "-save-temps",
    "--save-temps",
    "-fmodule",
    "-fthin",
    "-fembed-bitcode",
    "-emit-",
    "-gsplit-dwarf",
    "-fsyntax-only",
    "-Xclang",
    "-fplugin",
    "--precompile",
    "--analyze",
    "-fno-integrated-cc1",
    "-fintegrated-as",
    "-integrated-as",
    "-cc1",
    "--driver-mode=cl",
    "-fstack-usage",
    "-fsave-optimization-record",
    "-foptimization-record",
    "-Xarch",
    "-fsplit-machine",
};

/* -MD and its kin only write down what was included. */
static const char *const staying[] = {"-MD", "-MMD", "-MF", "-MT",
				      "-MQ", "-MP",  "-MV", "-MG"};

static const char *const bare[] = {
    "-r",
    "-nostdlib",
    "-nodefaultlibs",
    "-nolibc",
    "--no-standard-libraries",
    "-nostdlib++",
    "-Wl,-r",
    "-Wl,--relocatable",
    "--relocatable",
};

static const char *const statics[] = {
    "-static", "--static", "-static-pie", "-Wl,-static", "-Wl,--static",
};

static const char *const foreign[] = {"-target", "-arch", "-m32", "-mx32", "-m16"};

static bool among(const char *arg, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(arg, list[i]) == 0)
			return true;
	return false;
}
#define AMONG(arg, list) among((arg), (list), sizeof(list) / sizeof *(list))

/* -g, -g0 ... -g3, -ggdb, -gdwarf-5 and the like; not the ones that only shape it. */
static bool chooses_debug(const char *arg)
{
	static const char *const shapes[] = {
	    "-gz",	"-gsplit",  "-gno-",  "-gcolumn",   "-gas-",	  "-grecord",
	    "-gstrict", "-ginline", "-gstat", "-gvariable", "-gpubnames", "-gcodeview"};
	if (strncmp(arg, "-g", 2) != 0)
		return strcmp(arg, "--debug") == 0;
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		if (strncmp(arg, shapes[i], strlen(shapes[i])) == 0)
			return false;
	return true;
}

/* Has the list of -fsanitize= this word or, where `same` is false, another one? */
static bool lists(const char *list, const char *word, bool same)
{
	for (const char *at = list; *at;) {
		size_t n = strcspn(at, ",");
		bool equal = n == strlen(word) && strncmp(at, word, n) == 0;
		if (n && equal == same)
			return true;
		at += n + (at[n] == ',');
	}
	return false;
}

static void read_sanitizers(struct dh_ccargs *a, const char *arg)
{
	static const char on[] = "-fsanitize=", off[] = "-fno-sanitize=";
	if (strncmp(arg, on, strlen(on)) == 0) {
		const char *list = arg + strlen(on);
		a->undefined |= lists(list, "thread", false);
		a->off &= !lists(list, "thread", true);
	} else if (strncmp(arg, off, strlen(off)) == 0) {
		const char *list = arg + strlen(off);
		a->off |= lists(list, "thread", true) || lists(list, "all", true);
	}
}

static bool ends(const char *text, const char *with)
{
	size_t n = strlen(text), k = strlen(with);
	return n >= k && strcmp(text + n - k, with) == 0;
}

static bool ends_as_one_of(const char *text, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ends(text, list[i]))
			return true;
	return false;
}
#define ENDS_AS_ONE_OF(text, list)                                                       \
	ends_as_one_of((text), (list), sizeof(list) / sizeof *(list))

static bool begins_as_one_of(const char *text, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strncmp(text, list[i], strlen(list[i])) == 0)
			return true;
	return false;
}
#define BEGINS_AS_ONE_OF(text, list)                                                     \
	begins_as_one_of((text), (list), sizeof(list) / sizeof *(list))

/* Does machine code depend on it, once the optimiser is done? */
static bool is_for_codegen(const char *arg)
{
	static const char *const other[] = {
	    "-fsanitize", "-fno-sanitize",   "-fpass-plugin", "-fprofile",
	    "-fcoverage", "-ftest-coverage", "-ftime",	      "-fuse-",
	    "-fdebug",	  "-mllvm",	     "-fdiagnostics", "-fcolor"};
	return (strncmp(arg, "-O", 2) == 0 || strncmp(arg, "-f", 2) == 0 ||
		strncmp(arg, "-m", 2) == 0) &&
	       !BEGINS_AS_ONE_OF(arg, other);
}

static void keep_for_codegen(struct dh_ccargs *a, const char *arg)
{
	char *more;
	if (asprintf(&more, "%s%s\n", a->codegen ? a->codegen : "", arg) < 0)
		return;
	free(a->codegen);
	a->codegen = more;
}

static void read_levels(struct dh_ccargs *a, const char *arg)
{
	if (strncmp(arg, "-O", 2) == 0)
		a->optimises = arg[2] != '0';
	a->strays |= BEGINS_AS_ONE_OF(arg, straying) && !AMONG(arg, staying);
	if (is_for_codegen(arg))
		keep_for_codegen(a, arg);
}

/* A file, or - for standard input. */
static void read_input(struct scan *s, const char *arg)
{
	static const char *const headers[] = {".h", ".hh", ".hpp", ".hxx", ".h++", ".H"};
	static const char *const assembly[] = {".s", ".S", ".sx", ".asm"};
	static const char *const modules[] = {".cppm", ".ccm", ".cxxm",
					      ".c++m", ".ixx", ".pcm"};
	bool header = s->as_header || ENDS_AS_ONE_OF(arg, headers);
	s->found->headers |= header;
	s->found->inputs |= !header;
	s->found->assembly |= ENDS_AS_ONE_OF(arg, assembly);
	s->found->strays |= ENDS_AS_ONE_OF(arg, modules);
}

/* What -x says of the files that follow. */
static void read_language(struct scan *s, const char *language)
{
	s->as_header = ends(language, "-header");
	s->found->assembly |= strncmp(language, "assembler", 9) == 0;
	s->found->strays |= strstr(language, "module") || strstr(language, "cuda") ||
			    strcmp(language, "hip") == 0;
}

static void read_option(struct scan *s, const char *arg)
{
	struct dh_ccargs *a = s->found;
	s->skip = AMONG(arg, with_value);
	s->language = strcmp(arg, "-x") == 0;
	if (strncmp(arg, "-x", 2) == 0)
		read_language(s, arg + 2);
	a->stops_early |= AMONG(arg, early);
	a->bare |= AMONG(arg, bare) && strcmp(arg, "-nostdlib++") != 0;
	a->is_static |= AMONG(arg, statics);
	a->shared |= strcmp(arg, "-shared") == 0 || strcmp(arg, "--shared") == 0 ||
		     strcmp(arg, "-Wl,-shared") == 0;
	a->debug |= chooses_debug(arg);
	read_sanitizers(a, arg);
	read_levels(a, arg);
	a->machine |= strncmp(arg, "-march=", 7) == 0 || strncmp(arg, "-mavx", 5) == 0;
	a->foreign |= strncmp(arg, "--target", 8) == 0 || AMONG(arg, foreign);
	/* -lfoo alone, or an object handed to the linker, is enough to link. */
	a->inputs |= strncmp(arg, "-l", 2) == 0 || strcmp(arg, "-Xlinker") == 0 ||
		     strncmp(arg, "-Wl,", 4) == 0;
	s->skip |= strcmp(arg, "-Xlinker") == 0;
}

static void read_file(struct scan *s, const char *path, unsigned nested);

static void read_arg(struct scan *s, const char *arg, unsigned nested)
{
	if (s->skip) {
		if (s->language)
			read_language(s, arg);
		s->skip = s->language = false;
	} else if (arg[0] == '@' && arg[1]) {
		read_file(s, arg + 1, nested + 1);
	} else if (arg[0] == '-' && arg[1]) {
		read_option(s, arg);
	} else {
		read_input(s, arg);
	}
}

/* The next word of a response file, in place: blanks part words, quotes of either
 * kind and backslashes keep them together. NULL at the end. */
static char *next_word(char **at)
{
	char *from = *at, *to, quote = '\0';
	while (isspace((unsigned char)*from))
		from++;
	if (!*from)
		return NULL;
	char *word = to = from;
	for (; *from && (quote || !isspace((unsigned char)*from)); from++) {
		if (*from == '\\' && from[1])
			*to++ = *++from;
		else if (*from == quote)
			quote = '\0';
		else if (!quote && (*from == '\'' || *from == '"'))
			quote = *from;
		else
			*to++ = *from;
	}
	*at = *from ? from + 1 : from;
	*to = '\0';
	return word;
}

static char *contents(const char *path)
{
	FILE *in = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;
	if (!in)
		return NULL;
	if (getdelim(&text, &size, '\0', in) < 0) {
		free(text);
		text = strdup("");
	}
	fclose(in);
	return text;
}

static void read_file(struct scan *s, const char *path, unsigned nested)
{
	char *text = nested <= MOST_NESTED ? contents(path) : NULL;
	if (!text) {
		s->found->inputs = true;
		return;
	}
	char *at = text, *word;
	while ((word = next_word(&at)))
		read_arg(s, word, nested);
	free(text);
}

void dh_ccargs_read(struct dh_ccargs *a, int argc, char **argv)
{
	struct scan s = {.found = a};
	*a = (struct dh_ccargs){0};
	for (int i = 1; i < argc; i++)
		read_arg(&s, argv[i], 0);
}

void dh_ccargs_drop(struct dh_ccargs *a)
{
	free(a->codegen);
	a->codegen = NULL;
}

bool dh_ccargs_links(const struct dh_ccargs *a)
{
	return a->inputs && !a->stops_early;
}
