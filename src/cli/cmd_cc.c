/* SPDX-License-Identifier: MIT */
/*
 * `deadheat cc` and `deadheat c++`: a compiler with race detection built in. Runs the
 * stock compiler with the user's arguments and a few of our own in front:
 *
 *   to compile   -fsanitize=thread, debug information, the folder of deadheat.h, and
 *                flags that keep gcc from expanding calls like memcpy inline, and clang
 *                from making vectors of loops, where nothing would be told of what
 *                these read and write, and both from reading what the program does not;
 *                and -B to find our program before the assembler, which has inline
 *                assembly tell of its synchronisation (src/assembler)
 *   to link      our library in place of the compiler's own. gcc adds -ltsan and
 *                libtsan_preinit.o by itself, and -B makes it find ours. clang is told
 *                to add nothing, and gets both by name; so does gcc where the user's last
 *                word is -fno-sanitize=thread, since other files may be watched.
 *
 * Ours come first so that the user's have the last word, and so that an -x of the user
 * does not apply to the files that we name.
 */
#define _GNU_SOURCE
#include "cli/cmd.h"
#include "cli/ccargs.h"
#include "cli/compiler.h"
#include "cli/llvm.h"
#include "cli/place.h"
#include "runtime/assembly.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: deadheat cc ARGUMENTS...\n"
    "       deadheat c++ ARGUMENTS...\n"
    "\n"
    "Compiles and links like gcc and g++, for a program that finds its own data races\n"
    "when it runs. Takes whatever the compiler takes; use it as CC and CXX of a build:\n"
    "\n"
    "  deadheat cc -O2 prog.c -o prog && deadheat run ./prog\n"
    "  make CC='deadheat cc' CXX='deadheat c++'\n"
    "\n"
    "The environment chooses the compiler:\n"
    "  DEADHEAT_CC    for cc (gcc)\n"
    "  DEADHEAT_CXX   for c++ (the C++ compiler that goes with DEADHEAT_CC, else g++)\n"
    "whether inline assembly tells of its locks:\n"
    "  DEADHEAT_ASM   yes (the default) or no\n"
    "and whether clang's loops and small functions tell of all at once, where that is the\n"
    "same:\n"
    "  DEADHEAT_LOOPS yes (the default) or no\n";

/* The command line in the making. Owns its words. */
struct line {
	char **at;
	size_t len, room;
};

static void *or_give_up(void *memory)
{
	if (!memory) {
		perror("deadheat");
		exit(DH_EXIT_FAILED);
	}
	return memory;
}

/* Takes over the word. */
static void add_own(struct line *l, char *word)
{
	if (l->len + 1 >= l->room) {
		l->room = l->room ? l->room * 2 : 64;
		l->at = or_give_up(realloc(l->at, l->room * sizeof *l->at));
	}
	l->at[l->len++] = word;
	l->at[l->len] = NULL;
}

static void add(struct line *l, const char *word)
{
	add_own(l, or_give_up(strdup(word)));
}

static void drop(struct line *l)
{
	for (size_t i = 0; i < l->len; i++)
		free(l->at[i]);
	free(l->at);
}

static void add_all(struct line *l, const char *const *words)
{
	for (; *words; words++)
		add(l, *words);
}

/* ---- our arguments ---- */

/* What gcc would do itself, so that nobody sees the memory accesses: calls with a
 * constant size or a constant string. Functions that constant expressions use (strlen)
 * are left alone. */
static const char *const gcc_visible[] = {
    "-fno-builtin-memcpy",
    "-fno-builtin-memmove",
    "-fno-builtin-memset",
    "-fno-builtin-memcmp",
    "-fno-builtin-mempcpy",
    "-fno-builtin-bcmp",
    "-fno-builtin-bcopy",
    "-fno-builtin-bzero",
    "-fno-builtin-strcpy",
    "-fno-builtin-stpcpy",
    "-fno-builtin-strncpy",
    "-fno-builtin-strcat",
    "-fno-builtin-strncat",
    "--param=builtin-string-cmp-inline-length=0",
#ifdef __x86_64__
    "-mmemcpy-strategy=libcall:-1:noalign",
    "-mmemset-strategy=libcall:-1:noalign",
#endif
    NULL,
};

/* clang makes vectors before it instruments, and then passes over what has more than 16
 * bytes or is masked. Loops over structures become such vectors on any machine, and so do
 * sums and narrowing copies without a loop, unless these are made of two at a time;
 * others where there are registers for them, and of those only none at all are sure. */
static const char *const clang_visible[] = {
    "-mllvm",
    "-enable-interleaved-mem-accesses=false",
    "-mllvm",
    "-slp-max-vf=2",
    "-mllvm",
    "-slp-vectorize-hor=false",
#ifdef __x86_64__
    "-mprefer-vector-width=128",
#endif
    NULL,
};

/* Before they instrument, both load variables ahead of loops that use them only under
 * some condition, for they may; gcc also both of two fields of which one is used. Told as
 * reads of the program these would be races that it does not have. */
static const char *const gcc_honest[] = {
    "-fno-tree-loop-im",
    "-fno-hoist-adjacent-loads",
    NULL,
};
static const char *const clang_honest[] = {
    "-mllvm",
    "-disable-licm-promotion",
    NULL,
};

/* gcc takes it that a variable of the file stays as it is across a call of a function
 * that does not name it, also where that is a lock made of atomics. Without
 * instrumentation such functions are mostly inlined, and then it does not. */
static const char *const gcc_locks = "-fno-ipa-reference";

/* Comes last: a level of optimisation counts as the opposite. */
static const char *const clang_last[] = {
    "--start-no-unused-arguments",
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "--end-no-unused-arguments",
    NULL,
};

/* gcc warns of each fence that its own library does not know them; ours does, and a
 * build with -Werror is not to break on them. */
static const char *const gcc_fences = "-Wno-tsan";

/* What it counts for --coverage and profiles is counted by all threads. clang does that
 * by itself. */
static const char *const gcc_profiles = "-fprofile-update=atomic";

/* Fortified headers turn calls into builtins, which the flags above do not reach. */
static const char *const gcc_last[] = {"-U_FORTIFY_SOURCE", NULL};

static char *text(const char *before, const char *middle, const char *after)
{
	char *made;
	return or_give_up(asprintf(&made, "%s%s%s", before, middle, after) < 0 ? NULL
									       : made);
}

static void add_link(struct line *l, const struct dh_ccargs *a, bool clang,
		     const char *dir)
{
	if (clang)
		add(l, "-fno-sanitize-link-runtime");
	else
		add_own(l, text("-B", dir, "/"));
	if (a->bare)
		return;
	add_own(l, text("-Wl,-rpath,", dir, ""));
	add_own(l, text(dir, "/deadheat_hot.o", ""));
	if (!clang && !a->off)
		return;
	/* First of all libraries, and whether or not it seems to be needed: its functions
	 * have to come before libc's. */
	add(l, "-Wl,--push-state,--no-as-needed");
	add_own(l, text(dir, "/libdeadheat-fasttrack.so", ""));
	add(l, "-Wl,--pop-state");
	if (!a->shared)
		add_own(l, text(dir, "/libtsan_preinit.o", ""));
}

/* dir is where our files are. */
static void add_compile(struct line *l, const struct dh_ccargs *a, bool clang,
			const char *dir)
{
	/* An assembler file has no use for them, which is no fault of the user's. */
	if (clang)
		add(l, "--start-no-unused-arguments");
	add(l, "-fsanitize=thread");
	if (!a->debug)
		add(l, "-g");
	/* deadheat.h, unless the user has one elsewhere. */
	add_own(l, text("-idirafter", dir, ""));
	if (clang) {
		add_all(l, clang_visible);
		add_all(l, clang_honest);
		add(l, "--end-no-unused-arguments");
	} else {
		add(l, gcc_fences);
		add(l, gcc_profiles);
		add(l, gcc_locks);
		add_all(l, gcc_visible);
		add_all(l, gcc_honest);
	}
}

/* clang counts the library of -fsanitize=undefined and its kind as a part of
 * ThreadSanitizer's, which it is told not to add. The linker gets it by itself: the words
 * are at the end, where an -x of the user would apply to a file. */
static void add_undefined(struct line *l, char *const *compiler, bool cxx)
{
	/* Two layouts of its folder; the part for C++ needs the other one. */
	static const char *const names[] = {
	    "libclang_rt.ubsan_standalone_cxx-x86_64.a",
	    "libclang_rt.ubsan_standalone_cxx.a",
	    "libclang_rt.ubsan_standalone-x86_64.a",
	    "libclang_rt.ubsan_standalone.a",
	};
	for (size_t i = cxx ? 0 : 2; i < sizeof names / sizeof *names; i++) {
		char *path = dh_compiler_file(compiler, names[i]);
		if (path)
			add_own(l, text("-Wl,", path, ""));
		free(path);
	}
	add_all(l, (const char *const[]){"-ldl", "-lm", "-lrt", "-lpthread", NULL});
}

/* Is inline assembly to tell of its synchronisation, are loops to tell at once? */
static int choose(const char *name, bool *wanted)
{
	const char *value = getenv(name);
	*wanted = !value || !*value || strcmp(value, "yes") == 0;
	return *wanted || strcmp(value, "no") == 0
		   ? 0
		   : dh_usage_error("cc: %s is neither yes nor no: %s", name, value);
}

/* A loop that is unrolled in part has several ways out, or a second loop for the rest,
 * and is not told of at once; one that is unrolled as a whole is no loop any more. Unrolling
 * spares nothing where there is a call at each access, so it is for such as have fewer rounds
 * than are told of at once. */
static const char *const clang_rolled[] = {
    "-mllvm",
    "-unroll-allow-partial=false",
    "-mllvm",
    "-unroll-runtime=false",
    "-mllvm",
    "-unroll-full-max-count=15",
    NULL,
};

/* clang writes bitcode where it would write assembly, which ours makes into that
 * (src/pass), if it can be read and there is something to gain. */
static void add_bitcode(struct line *l, const struct dh_ccargs *a, char *const *compiler)
{
	char *library =
	    a->optimises && !a->strays && !a->headers ? dh_llvm_of(compiler) : NULL;
	if (!library)
		return;
	or_give_up(setenv(DH_LLVM_LIBRARY, library, 1) ? NULL : l);
	or_give_up(setenv(DH_CODEGEN, a->codegen ? a->codegen : "", 1) ? NULL : l);
	free(library);
	add(l, "--start-no-unused-arguments");
	add(l, "-Xclang");
	add(l, "-emit-llvm-bc");
	add_all(l, clang_rolled);
	add(l, "--end-no-unused-arguments");
}

/* clang has to be told to use another assembler than its own at all. Ours hands on to
 * that again, whose name the environment has (assembly.h). */
static void add_assembler(struct line *l, const struct dh_ccargs *a, bool clang,
			  const char *dir)
{
	/* On other machines there is none. */
	if (a->foreign || a->assembly || !dh_place_has(dir, "assembler/as"))
		return;
	if (clang)
		add(l, "--start-no-unused-arguments");
	add_own(l, text("-B", dir, "/assembler/"));
	if (clang) {
		add(l, "-fno-integrated-as");
		add(l, "--end-no-unused-arguments");
	}
}

static int add_ours(struct line *l, const struct dh_ccargs *a, char *const *compiler,
		    bool clang)
{
	bool assembly, loops;
	int bad = choose("DEADHEAT_ASM", &assembly);
	if (!bad)
		bad = choose("DEADHEAT_LOOPS", &loops);
	if (bad)
		return bad;
	char *dir = dh_place_libraries();
	if (!dir)
		return dh_usage_error(
		    "cc: libdeadheat-fasttrack.so is not where it should "
		    "be; is the installation complete?");
	add_compile(l, a, clang, dir);
	if (assembly || (clang && loops))
		add_assembler(l, a, clang, dir);
	if (clang && loops && !a->foreign && !a->assembly &&
	    dh_place_has(dir, "assembler/as"))
		add_bitcode(l, a, compiler);
	bool links = dh_ccargs_links(a);
	if (links && !a->is_static)
		add_link(l, a, clang, dir);
	free(dir);
	return links && a->is_static
		   ? dh_usage_error("cc: a static program cannot be watched: its libc "
				    "cannot be intercepted; link without -static")
		   : 0;
}

/* ---- the command ---- */

static void add_compiler(struct line *l, bool cxx)
{
	char *words = or_give_up(dh_compiler_choose(cxx)), *rest = NULL;
	for (char *word = strtok_r(words, " \t", &rest); word;
	     word = strtok_r(NULL, " \t", &rest))
		add(l, word);
	free(words);
}

/* For clang. */
static void name_assembler(const struct line *compiler)
{
	char *words = or_give_up(strdup(compiler->at[0]));
	for (size_t i = 1; i < compiler->len; i++) {
		char *more = text(words, " ", compiler->at[i]);
		free(words);
		words = more;
	}
	or_give_up(setenv(DH_ASSEMBLER, words, 1) ? NULL : words);
	free(words);
}

/* Libraries that are to be linked statically and cannot be: the compiler's runtime, since
 * ours takes its place, and the C++ library's, since ours stands before functions of it.
 */
static bool is_left_out(const char *word)
{
	return strcmp(word, "-static-libtsan") == 0 ||
	       strcmp(word, "-static-libstdc++") == 0;
}

/* The whole command line; 0 or the exit status. */
static int put_together(struct line *l, int argc, char **argv)
{
	struct line compiler = {0};
	bool cxx = strcmp(argv[0], "c++") == 0;
	add_compiler(&compiler, cxx);
	if (!compiler.len)
		return dh_usage_error("%s: DEADHEAT_CC names no compiler", argv[0]);
	add_all(l, (const char *const *)compiler.at);
	struct dh_ccargs a;
	dh_ccargs_read(&a, argc, argv);
	bool work = a.inputs || a.headers; /* else a question to the compiler */
	bool clang = work && dh_compiler_is_clang(compiler.at);
	if (clang)
		name_assembler(&compiler);
	else
		unsetenv(DH_ASSEMBLER);
	int bad = work ? add_ours(l, &a, compiler.at, clang) : 0;
	for (int i = 1; i < argc; i++)
		if (!is_left_out(argv[i]))
			add(l, argv[i]);
	if (work && !clang)
		add_all(l, gcc_last);
	if (clang && a.machine)
		add_all(l, clang_last);
	if (clang && a.undefined && !a.shared && !a.bare && dh_ccargs_links(&a))
		add_undefined(l, compiler.at, cxx);
	drop(&compiler);
	dh_ccargs_drop(&a);
	return bad;
}

int dh_cmd_cc(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--help") == 0) {
		fputs(help, stdout);
		return DH_EXIT_OK;
	}
	struct line l = {0};
	int bad = put_together(&l, argc, argv);
	if (!bad) {
		execvp(l.at[0], l.at);
		dh_usage_error("%s: cannot run %s: %s", argv[0], l.at[0],
			       strerror(errno));
		bad = 127;
	}
	drop(&l);
	return bad;
}
