/* SPDX-License-Identifier: MIT */
/*
 * What a compiler command line asks for, as far as `deadheat cc` has to know: reads the
 * arguments of gcc and clang, those in response files (@file) included, and changes
 * nothing.
 */
#ifndef DH_CLI_CCARGS_H
#define DH_CLI_CCARGS_H

#include <stdbool.h>

struct dh_ccargs {
	bool stops_early; /* -c, -S, -E, -M, ...: there will be no linking */
	bool inputs;	  /* names something to work on */
	bool headers;	  /* names a header to precompile */
	bool debug;	  /* chose a level of debug information itself */
	bool shared;
	bool bare; /* -r, -nostdlib, ...: links without the usual libraries */
	bool is_static;
	bool undefined; /* -fsanitize= with something beside thread */
	bool off;	/* -fno-sanitize=thread had the last word */
	bool machine;	/* -march=, -mavx...: one with masked accesses perhaps */
	bool foreign;	/* --target=, -m32, ...: code for another kind of machine */
	bool assembly;	/* names a file in assembly */
	bool optimises; /* the last -O is none of 0 */
	bool strays;	/* what clang makes is not assembled there and then: -S, -flto,
			 * -save-temps, modules ...; or a part of it is put elsewhere */
	char *codegen; /* what the machine code depends on: -O2, -fPIC, -mcmodel=..., each
			* followed by a newline; NULL: nothing, or no memory */
};

/* Reads argv[1] and on. A response file that cannot be read counts as an input: the
 * compiler will say what is wrong with it. */
void dh_ccargs_read(struct dh_ccargs *a, int argc, char **argv);
void dh_ccargs_drop(struct dh_ccargs *a);

/* Will the command link? */
bool dh_ccargs_links(const struct dh_ccargs *a);

#endif
