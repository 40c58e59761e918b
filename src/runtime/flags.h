/* SPDX-License-Identifier: MIT */
/*
 * The runtime's options. Listed in flags.def; set by the environment variable
 * DEADHEAT_OPTIONS, which `deadheat run` fills from its own options. A program made for
 * ThreadSanitizer may have some of that one's: from the function __tsan_default_options,
 * and from TSAN_OPTIONS, which counts for more, as ours does over both.
 *
 *   DEADHEAT_OPTIONS='log=races.txt exit-code=0 verbose'
 *
 * Options are parted by blanks, commas or colons; a value with one of these in it
 * stands in quotes of either kind. A bool without a value is set; else yes, no, 1, 0.
 * Of an option that is there twice the last counts.
 *
 * The parser is also part of the command line tool. It calls no libc and allocates
 * with mem.h; not for concurrent use.
 */
#ifndef DH_RUNTIME_FLAGS_H
#define DH_RUNTIME_FLAGS_H

#include "base/base.h"

#define DH_FLAG_TEXT(name, argument, help)	       const char *name;
#define DH_FLAG_BOOL(name, help)		       bool name;
#define DH_FLAG_NUMBER(name, value, least, most, help) uint32_t name;
#define DH_FLAG_CHOICE(name, choices, help)	       uint32_t name;
struct dh_flags {
#include "runtime/flags.def"
};
#undef DH_FLAG_TEXT
#undef DH_FLAG_BOOL
#undef DH_FLAG_NUMBER
#undef DH_FLAG_CHOICE

enum {
	DH_ENGINE_FASTTRACK,
	DH_ENGINE_NULL,
	DH_ENGINE_COUNT,
	DH_ENGINE_RACETRACK,
	DH_ENGINE_DJIT, /* from here on: run by the host (host/host.h) */
	DH_ENGINE_LOCKSET,
	DH_ENGINE_MULTIRACE,
	DH_ENGINE_ERASER,
	DH_ENGINE_RACETRACK_BASIC,
	DH_ENGINE_PATENT,
	DH_ENGINE_GOLDILOCKS,
	DH_ENGINE_GOLDILOCKS_PAPER,
	DH_ENGINE_LOG, /* the last of these */
	DH_ENGINE_RECORD,
}; /* engine; in the order of observers.c */
enum {
	DH_FILTER_FRAME,
	DH_FILTER_NONE,
	DH_FILTER_TREE,
	DH_FILTER_TREE_STRICT,
	DH_FILTER_SPAN
}; /* filter */
enum { DH_DETECTION_ON, DH_DETECTION_SUSPENDED, DH_DETECTION_OFF }; /* detection */
enum {
	DH_RACETRACK_FULL,
	DH_RACETRACK_PAPER,
	DH_RACETRACK_THREADSET,
	DH_RACETRACK_LOCKSET
}; /* racetrack */
enum { DH_FINDINGS_AUTO, DH_FINDINGS_VARIABLE, DH_FINDINGS_PAIR }; /* findings */
enum { DH_MISSING_CAP = 4096 }; /* missing_cap, at first */
enum { DH_COLOUR_AUTO, DH_COLOUR_ALWAYS, DH_COLOUR_NEVER }; /* colour */
enum { DH_FAIL_ON_OBSERVED, DH_FAIL_ON_POTENTIAL };	    /* fail_on */

enum dh_flag_kind { DH_KIND_TEXT, DH_KIND_BOOL, DH_KIND_NUMBER, DH_KIND_CHOICE };

/* One option, for help texts. */
struct dh_flag {
	const char *name;     /* with _ */
	const char *argument; /* what its value is called, the choices; NULL for a bool */
	const char *help;
	size_t offset; /* in struct dh_flags */
	uint32_t least, most, value;
	enum dh_flag_kind kind;
};

/* The table, in the order of flags.def. */
extern const struct dh_flag dh_flag_table[];
extern const size_t dh_flag_count;

/* The options in force. Fixed after dh_flags_init(). */
extern struct dh_flags dh_flags;

/* What was wrong, as one line without an end: filled by the two below. */
struct dh_flag_error {
	char text[256];
};

/* Sets every option to what it is at first; free gives back the texts of the others. */
void dh_flags_default(struct dh_flags *f);
void dh_flags_free(struct dh_flags *f);

/* Sets one option; value is NULL where there is none. False and a message where there is
 * no such option (the nearest is named) or the value is none. */
bool dh_flags_set(struct dh_flags *f, const char *name, const char *value,
		  struct dh_flag_error *e);

/* Sets all options of a text. */
bool dh_flags_parse(struct dh_flags *f, const char *text, struct dh_flag_error *e);

/* Does every option mean something with the engine? */
bool dh_flags_check(const struct dh_flags *f, struct dh_flag_error *e);

/* Sets what an options text of ThreadSanitizer's (TSAN_OPTIONS) has in common with ours:
 * exitcode, halt_on_error, log_path, report_bugs=0, suppressions, color. Everything else in it is
 * another program's, and no error. */
void dh_flags_parse_theirs(struct dh_flags *f, const char *text);

/* At start-up: sets dh_flags from the environment. Ends the process with status 2 and a
 * message where DEADHEAT_OPTIONS is wrong. */
void dh_flags_init(void);

#endif
