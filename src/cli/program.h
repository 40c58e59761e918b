/* SPDX-License-Identifier: MIT */
/* What kind of program a file is, for `deadheat run`: how it was built decides how it
 * can be watched. */
#ifndef DH_CLI_PROGRAM_H
#define DH_CLI_PROGRAM_H

#include <stdbool.h>

enum dh_program_kind {
	DH_PROGRAM_OURS,    /* linked with our library */
	DH_PROGRAM_LIBTSAN, /* linked with gcc's shared libtsan: ours takes its place */
	DH_PROGRAM_OWN,	    /* has a ThreadSanitizer of its own built in */
	DH_PROGRAM_STATIC,  /* no shared libraries at all, at a fixed place or not */
	DH_PROGRAM_PLAIN,   /* not instrumented */
	DH_PROGRAM_OTHER,   /* no ELF file: a script, perhaps */
};

/* The file that execvp() would run for a name; NULL where there is none. The caller
 * frees. */
char *dh_program_find(const char *name);

struct dh_program {
	enum dh_program_kind kind;
	char tsan[32];	 /* the libtsan that it asks for, where there is one */
	bool fixed_path; /* it looks for libraries in folders of its own before all others
			  */
	bool foreign;	 /* for another machine or C library, where ours does not load */
};

void dh_program_look(const char *path, struct dh_program *out);

/* The environment variable LD_PRELOAD for it, where our library has to be named there to
 * come before others, or to be there at all when an instrumented library is opened;
 * libraries is our folder, old the present value or NULL. NULL where there is no need.
 * The caller frees. */
char *dh_program_preload(const struct dh_program *p, const char *libraries,
			 const char *old);

#endif
