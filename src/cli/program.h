/* SPDX-License-Identifier: MIT */
/* What kind of program a file is, for `deadheat run`: how it was built decides how it
 * can be watched. */
#ifndef DH_CLI_PROGRAM_H
#define DH_CLI_PROGRAM_H

enum dh_program_kind {
	DH_PROGRAM_OURS,    /* linked with our library */
	DH_PROGRAM_LIBTSAN, /* linked with gcc's shared libtsan: ours takes its place */
	DH_PROGRAM_OWN,	    /* has a ThreadSanitizer of its own built in */
	DH_PROGRAM_STATIC,  /* no shared libraries at all */
	DH_PROGRAM_PLAIN,   /* not instrumented */
	DH_PROGRAM_OTHER,   /* no ELF file: a script, perhaps */
};

/* The file that execvp() would run for a name; NULL where there is none. The caller
 * frees. */
char *dh_program_find(const char *name);

enum dh_program_kind dh_program_kind(const char *path);

#endif
