/* SPDX-License-Identifier: MIT */
/*
 * What the files of the HTML report share. The page itself is made of the files in
 * html/ at build time (html/embed.pl); at run time a list that is readable without
 * scripts (page_static.c) and the data of the script (page_data.c) go in between.
 *
 * For the tools: one thread, allocates.
 */
#ifndef DH_TRIAGE_PAGE_H
#define DH_TRIAGE_PAGE_H

#include "base/map.h"
#include "report/json.h"
#include "triage/render.h"

/* Made by embed.pl: what stands before the list, between list and data, and after. */
enum { DH_PAGE_PARTS = 3 };
extern const char *const dh_page_parts[DH_PAGE_PARTS];

/* The list without scripts. */
void dh_page_static(FILE *to, const struct dh_causes *c,
		    const struct dh_render_options *o);

/* All of the data, as one JSON value that is safe within a script element. */
void dh_page_data(FILE *to, const struct dh_causes *c, const struct dh_render_options *o);

/* ---- tables that the data refers to by index (page_tables.c) ---- */

struct dh_page_frame {
	const struct dh_finding_frame *frame;
	const char *since; /* when the program ran, or NULL */
	uint32_t around;   /* lines of source to show with it */
};

struct dh_page_line {
	const char *file, *since;
	uint32_t line;
};

struct dh_page_tables {
	const struct dh_render_options *o;
	struct dh_vec(const char *) strings;
	struct dh_map string_ids; /* pointer to index */
	struct dh_vec(struct dh_page_frame) frames;
	struct dh_map frame_ids; /* number in the set to index */
	struct dh_vec(const struct dh_finding_stack *) stacks;
	struct dh_map stack_ids;
	struct dh_vec(struct dh_page_line) declared;
	struct dh_map lines; /* file and line: is written */
};

/* The index of a stack. The frame that it goes by gets so many lines of source around
 * it, the others fewer. */
uint32_t dh_page_stack(struct dh_page_tables *t, const struct dh_finding_stack *s,
		       uint32_t around, const char *since);

/* Has the source of a line put in that no frame is at: of a declaration. */
void dh_page_line(struct dh_page_tables *t, const char *file, uint32_t line,
		  const char *since);

/* The keys `stacks`, `frames`, `sources`, `strings`. */
void dh_page_tables_write(struct dh_page_tables *t, struct dh_json *j);
void dh_page_tables_free(struct dh_page_tables *t);

#endif
