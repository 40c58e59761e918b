/* SPDX-License-Identifier: MIT */
/*
 * The findings of a running process: what came over the wire (wire.h) with names in
 * place of addresses, and the two forms in which it is written. Used by the helper
 * process; one thread.
 */
#ifndef DH_REPORT_LIVE_H
#define DH_REPORT_LIVE_H

#include "base/map.h"
#include "report/symbols.h"
#include "report/wire.h"

#include <stdio.h>

struct dh_live_access {
	uint64_t flags; /* enum dh_wire_access */
	uint64_t address, size;
	uint64_t thread; /* id, or DH_WIRE_NO_THREAD */
	struct dh_source_frames stack;
};

struct dh_live_thread {
	uint64_t id, parent, os_id, flags; /* enum dh_wire_thread */
	char *name;
	struct dh_source_frames created;
};

struct dh_live_lock {
	uint64_t address, flags; /* enum dh_wire_lock */
	char *name;
	struct dh_source_frames taken, created;
	bool is_global;
	struct dh_source_object global; /* where is_global */
};

struct dh_live_locks dh_vec(struct dh_live_lock);

struct dh_live_object {
	char *label; /* what the program calls it; "" for nothing */
	enum dh_wire_object kind;
	bool is_global; /* kind is DH_OBJECT_UNKNOWN; or DH_OBJECT_LOCAL, whose name is known */
	struct dh_source_object global; /* where is_global */
	uint64_t base, size;		/* heap, mapping */
	uint64_t file_offset;		/* mapping: of its first byte in the file */
	char *file;			/* mapping: "" for none; else NULL */
	uint64_t thread; /* that allocated it; whose stack or variable it is */
	struct dh_source_frames allocated;
	bool freed;
	uint64_t free_thread;
	struct dh_source_frames released;
};

struct dh_live_race {
	uint64_t serial, grade; /* enum dh_wire_grade */
	uint64_t address, size;
	struct dh_live_access second, first;
	struct dh_vec(struct dh_live_thread) threads;
	struct dh_live_locks locks; /* held by the second thread */
	uint64_t locks_lost;	    /* and so many more */
	bool earlier_known;	    /* what the first one held: */
	struct dh_live_locks sure, maybe;
	struct dh_live_object object;
	const char *suppressed; /* the rule that it falls under; NULL: none */
	bool known;		/* it is in the baseline */
};

struct dh_live_held {
	uint64_t count;
	struct dh_live_lock lock; /* without where it was taken */
};

struct dh_live_step {
	uint64_t count;
	int64_t by;
};

/* How the program went on with what it had raced on. */
struct dh_live_evidence {
	uint64_t serial, base, complete, size, accesses, reads, writes, atomics, threads;
	uint64_t read_then_write, unlocked, same_value, other_steps;
	uint64_t first_site, second_site;
	struct dh_vec(struct dh_live_held) held;
	struct dh_vec(struct dh_live_step) steps;
};

struct dh_live_counter {
	char *name;
	uint64_t value;
	bool loss;
};

/* A rule for what is not reported. */
struct dh_live_rule {
	const char *text, *file;
	uint32_t line;
	uint64_t used;
	const char *idle; /* why it can never be; NULL where it can */
};

/* The end of a run. */
struct dh_live_end {
	bool told; /* the process said so itself; else it was cut off */
	uint64_t distinct, total;
	uint64_t suppressed, known; /* of the distinct ones: do not count */
	uint64_t potential;	    /* and of this grade are */
	struct dh_vec(struct dh_live_rule) rules;
	char *suggestions; /* lines for a suppression file; NULL: not asked for */
	uint64_t left_out; /* not shown: see dh_live_groups */
	const struct dh_live_findings *findings; /* where further accesses may be; NULL */
	struct dh_vec(struct dh_live_counter) counters;
};

struct dh_live_hello {
	uint64_t process, flags; /* enum dh_wire_hello */
	char *log, *json;
	char *suppressions, *own_suppressions, *baseline; /* "" for none; see wire.h */
	char *engine;
};

/* "observed" or "potential". */
DH_INLINE const char *dh_live_grade(const struct dh_live_race *r)
{
	return r->grade == DH_WIRE_POTENTIAL ? "potential" : "observed";
}

/* ---- reading (live_read.c) ---- */

/* The payload of a message. Reading past its end sets bad, and gives zeroes. */
struct dh_live_input {
	const char *at;
	size_t left;
	bool bad;
};

/* Each fills *out from the payload and returns false where it is malformed; what was
 * filled is freed all the same by the matching function. */
bool dh_live_read_hello(struct dh_live_input *in, struct dh_live_hello *out);
bool dh_live_read_module(struct dh_live_input *in, struct dh_symbols *s);
bool dh_live_read_race(struct dh_live_input *in, struct dh_symbols *s,
		       struct dh_live_race *out);
bool dh_live_read_evidence(struct dh_live_input *in, struct dh_symbols *s,
			   struct dh_live_evidence *out);
bool dh_live_read_end(struct dh_live_input *in, struct dh_live_end *out);
uint64_t dh_live_read_word(struct dh_live_input *in);

void dh_live_free_hello(struct dh_live_hello *h);
void dh_live_free_race(struct dh_live_race *r);
void dh_live_free_evidence(struct dh_live_evidence *e);
void dh_live_free_end(struct dh_live_end *e);

/* ---- what is worth showing (live_groups.c) ---- */

/* Races that differ in machine addresses only, or in the callers of the same two lines,
 * are many reports of one mistake. Zero-initialised is empty. */
struct dh_live_groups {
	struct dh_map stacks; /* pairs of stacks seen, as functions and lines */
	struct dh_map places; /* how often each pair of innermost lines was */
	uint64_t left_out;
};

/* Is it worth showing? False where one with the same lines was, or several between the
 * same two innermost ones; counted. */
bool dh_live_groups_worth(struct dh_live_groups *g, const struct dh_live_race *r);

/* A stack as functions and lines, so many frames of it. */
uint64_t dh_live_hash_stack(const struct dh_source_frames *s, size_t depth);
void dh_live_groups_free(struct dh_live_groups *g);

/* ---- what findings have so far (live_findings.c) ---- */

/* A finding that further accesses may add to. */
struct dh_live_finding {
	uint64_t serial, grade; /* enum dh_wire_grade */
	bool stands;		/* it is neither suppressed nor known */
	bool shown;		/* in the text */
	uint32_t further;	/* accesses that were shown since */
	char *object;		/* what it is on, as text */
	struct dh_vec(uint64_t) stacks; /* of its places, each hashed */
	struct dh_vec(char *) lines;	/* each place as text */
};

/* Zero-initialised is empty. */
struct dh_live_findings {
	struct dh_map serials; /* to the place in all, from 1 */
	struct dh_vec(struct dh_live_finding) all;
	uint64_t left_out; /* further accesses that were not shown */
};

/* Which accesses of a race. */
enum dh_live_side { DH_LIVE_SECOND = 1, DH_LIVE_FIRST = 2 };

/* NULL where there is none. Valid until the next one begins. */
struct dh_live_finding *dh_live_findings_find(const struct dh_live_findings *s,
					      uint64_t serial);

struct dh_live_style;

/* A finding begins with this race, anew where there is one of the serial. */
struct dh_live_finding *dh_live_findings_begin(struct dh_live_findings *s,
					       const struct dh_live_race *r,
					       const struct dh_live_style *style);

/* Adds the accesses of a race that are at places which the finding does not have; says
 * which (enum dh_live_side). Places that differ in machine addresses only are one. */
unsigned dh_live_findings_add(struct dh_live_finding *f, const struct dh_live_race *r,
			      const struct dh_live_style *style);
void dh_live_findings_free(struct dh_live_findings *s);

/* ---- writing ---- */

struct dh_live_style {
	bool colour;
	bool verbose; /* a summary in any case */
	bool stats;
	bool numbers; /* races have their serial in the heading */
	char *folder; /* names of files below it are shown without it; or NULL */
};

/* For people (live_text.c, live_summary.c). further: the sides that are to be shown as
 * further accesses of the race with the same serial. */
void dh_live_text_race(const struct dh_live_race *r, const struct dh_live_style *style,
		       FILE *to);
void dh_live_text_further(const struct dh_live_race *r, unsigned further,
			  const struct dh_live_style *style, FILE *to);
/* An access in one line without its end, and what the race is on. */
void dh_live_text_access(const struct dh_live_race *r, const struct dh_live_access *a,
			 const struct dh_live_style *style, FILE *to);
void dh_live_text_object(const struct dh_live_race *r, const struct dh_live_style *style,
			 FILE *to);
void dh_live_text_end(const struct dh_live_end *e, struct dh_symbols *s,
		      const struct dh_live_style *style, FILE *to);

/* One JSON object to a line (live_json.c, docs/formats/findings.md). */
void dh_live_json_start(const struct dh_live_hello *h, FILE *to);
void dh_live_json_race(const struct dh_live_hello *h, const struct dh_live_race *r,
		       bool further, FILE *to);
void dh_live_json_evidence(const struct dh_live_hello *h,
			   const struct dh_live_evidence *e, FILE *to);
void dh_live_json_end(const struct dh_live_hello *h, const struct dh_live_end *e,
		      struct dh_symbols *s, FILE *to);

#endif
