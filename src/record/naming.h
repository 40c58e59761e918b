/* SPDX-License-Identifier: MIT */
/*
 * Names for a trace: of variables, locks and other objects by where they are in the
 * program's memory, of places in the code by file and line, of threads.
 *
 *   global variable   its name, with field or element: account.balance, table[3]
 *   heap              heap#7+16: bytes from the start of the seventh block that was
 *                     given out
 *   anything else     its address
 *
 * Bytes that the format does not allow become '_'. Where a name is taken by something
 * else, a number follows: count, count#2.
 *
 * One thread. What is returned are numbers in the names that were given to init.
 */
#ifndef DH_RECORD_NAMING_H
#define DH_RECORD_NAMING_H

#include "record/blocks.h"
#include "record/survey.h"
#include "trace/names.h"

struct dh_naming {
	struct dh_names *names; /* the caller's */
	struct dh_survey *survey;
	struct dh_blocks blocks;
	/* Name, + 1, of what begins with the granule of a number; and of other things by
	 * number * 8 + byte. */
	struct dh_vec(uint32_t) starts[DH_NAME_KINDS];
	struct dh_map objects[DH_NAME_KINDS];
	struct dh_map threads, sites;
};

void dh_naming_init(struct dh_naming *n, struct dh_names *names, struct dh_survey *s);
void dh_naming_free(struct dh_naming *n);

/* The object of a kind at an address, in the granule with this number. Numbers are those
 * of one places.h for each kind. */
uint32_t dh_naming_object(struct dh_naming *n, enum dh_name_kind kind, uint32_t number,
			  uint64_t address);

/* Is there one yet? */
bool dh_naming_has(const struct dh_naming *n, enum dh_name_kind kind, uint32_t number,
		   uint64_t address);

/* By the text itself. */
uint32_t dh_naming_text(struct dh_naming *n, enum dh_name_kind kind, const char *text);

uint32_t dh_naming_thread(struct dh_naming *n, uint32_t thread);

/* A return address; 0 for none. */
uint32_t dh_naming_site(struct dh_naming *n, uint64_t pc);

#endif
