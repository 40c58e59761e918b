/* SPDX-License-Identifier: MIT */
/*
 * What a line of C or C++ does to a name, as far as its words tell: no parser, and no
 * knowledge of other lines. It is asked about lines on which a race was seen, and says
 * what it is sure of; what it does not understand is no use at all.
 *
 * A name is the last word of what is accessed: `hits` of `stats->hits[i]`.
 *
 * Pure functions; they allocate nothing.
 */
#ifndef DH_TRIAGE_LINE_H
#define DH_TRIAGE_LINE_H

#include "base/base.h"

enum dh_line_use {
	DH_USE_ANY = 1,		/* the name is there */
	DH_USE_ASSIGN = 2,	/* name = something; not its declaration */
	DH_USE_CONSTANT = 4,	/* ASSIGN, of a constant */
	DH_USE_UPDATE = 8,	/* name++, name += ..., name = name + ... */
	DH_USE_TEST_EMPTY = 16, /* if (!name), if (name == NULL); not to leave */
	DH_USE_TEST_LEAVE = 32, /* if (name) return ...; */
	DH_USE_LOOP = 64,	/* in the condition of while or for */
	DH_USE_DEREF = 128,	/* name->, *name, name[] */
	DH_USE_SELF = 256,	/* ASSIGN, of something that has the name in it */
};

struct dh_line_word {
	const char *text; /* in the line */
	size_t len;	  /* 0: none */
};

/* All uses of a name on a line. Of a constant that is assigned, *constant is its text. */
unsigned dh_line_uses(const char *line, size_t len, struct dh_line_word name,
		      struct dh_line_word *constant);

/* The one name that the line assigns to or updates; none where there are two. */
struct dh_line_word dh_line_target(const char *line, size_t len);

/* Does it call something that takes a lock? By the words alone: `lock`, `lock_guard`. */
bool dh_line_locks(const char *line, size_t len);

/* Does it begin with return, or another way out? */
bool dh_line_leaves(const char *line, size_t len);

/* Is a constant NULL, 0 or false? */
bool dh_line_is_empty(struct dh_line_word constant);

/* The last word of an object's name with its part: `next` of `list::head[3].next`. */
struct dh_line_word dh_line_last_word(const char *text);

#endif
