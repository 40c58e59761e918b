/* SPDX-License-Identifier: MIT */
/* See naming.h. */
#define _GNU_SOURCE
#include "record/naming.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dh_naming_init(struct dh_naming *n, struct dh_names *names, struct dh_survey *s)
{
	*n = (struct dh_naming){.names = names, .survey = s};
}

void dh_naming_free(struct dh_naming *n)
{
	for (size_t i = 0; i < DH_NAME_KINDS; i++) {
		dh_vec_free(&n->starts[i]);
		dh_map_free(&n->objects[i]);
	}
	dh_map_free(&n->threads);
	dh_map_free(&n->sites);
	dh_blocks_free(&n->blocks);
}

/* ---- texts ---- */

static void tidy(char *text, enum dh_name_kind kind)
{
	for (char *c = text; *c; c++)
		if (kind == DH_NAME_SITE ? *c == '|' || *c == '\n' || *c == '\r'
					 : dh_names_stop[(unsigned char)*c])
			*c = '_';
}

/* A name that nothing else of its kind has. Frees the text. */
static uint32_t unique(struct dh_naming *n, enum dh_name_kind kind, char *text)
{
	uint32_t id;
	char *other = NULL;
	if (!text)
		abort();
	tidy(text, kind);
	bool taken = dh_names_find(n->names, kind, text, strlen(text), &id);
	for (unsigned i = 2; taken; i++) {
		free(other);
		if (asprintf(&other, "%s#%u", text, i) < 0)
			abort();
		taken = dh_names_find(n->names, kind, other, strlen(other), &id);
	}
	const char *last = other ? other : text;
	id = dh_names_intern(n->names, kind, last, strlen(last));
	free(other);
	free(text);
	return id;
}

uint32_t dh_naming_text(struct dh_naming *n, enum dh_name_kind kind, const char *text)
{
	char *own = strdup(text);
	if (!own)
		abort();
	tidy(own, kind);
	uint32_t id = dh_names_intern(n->names, kind, own, strlen(own));
	free(own);
	return id;
}

/* ---- objects ---- */

/* The members of the C library's own types are nobody's business. */
static char *outside_of_libc(char *text)
{
	char *inside = text ? strstr(text, ".__data") : NULL;
	if (inside)
		*inside = '\0';
	return text;
}

/* From malloc. */
static char *place(struct dh_naming *n, uint64_t address)
{
	struct dh_heap_block k;
	struct dh_source_object o;
	char *text = NULL;
	int got;
	if (dh_blocks_find(&n->blocks, address, &k))
		got = asprintf(&text, "heap#%" PRIu64 "+%" PRIu64, k.serial,
			       address - k.base);
	else if (!dh_symbols_object(n->survey->symbols, address, 0, &o))
		got = asprintf(&text, "0x%" PRIx64, address);
	else if (o.part || !o.offset)
		got = asprintf(&text, "%s%s", o.name, o.part ? o.part : "");
	else
		got = asprintf(&text, "%s+%" PRIu64, o.name, o.offset);
	return outside_of_libc(got < 0 ? NULL : text);
}

uint32_t dh_naming_object(struct dh_naming *n, enum dh_name_kind kind, uint32_t number,
			  uint64_t address)
{
	if (address % 8 == 0) {
		dh_vec_grow(&n->starts[kind], (size_t)number + 1);
		uint32_t *at = &n->starts[kind].at[number];
		if (DH_UNLIKELY(!*at))
			*at = unique(n, kind, place(n, address)) + 1;
		return *at - 1;
	}
	uint64_t key = (uint64_t)number * 8 + address % 8;
	uint64_t *at = dh_map_put(&n->objects[kind], key, NULL);
	if (!*at)
		*at = (uint64_t)unique(n, kind, place(n, address)) + 1;
	return (uint32_t)(*at - 1);
}

bool dh_naming_has(const struct dh_naming *n, enum dh_name_kind kind, uint32_t number,
		   uint64_t address)
{
	if (address % 8 == 0)
		return number < n->starts[kind].len && n->starts[kind].at[number];
	return dh_map_get(&n->objects[kind], (uint64_t)number * 8 + address % 8) != NULL;
}

/* ---- threads ---- */

uint32_t dh_naming_thread(struct dh_naming *n, uint32_t thread)
{
	bool fresh;
	uint64_t *at = dh_map_put(&n->threads, thread, &fresh);
	if (!fresh)
		return (uint32_t)*at;
	const uint64_t *given = dh_map_get(&n->survey->thread_names, thread);
	char *text = NULL;
	int got = given
		      ? asprintf(&text, "%s/%u", (const char *)(uintptr_t)*given, thread)
		  : thread ? asprintf(&text, "T%u", thread)
			   : asprintf(&text, "main");
	*at = unique(n, DH_NAME_THREAD, got < 0 ? NULL : text);
	return (uint32_t)*at;
}

/* ---- places in the code ---- */

static const char *below(const struct dh_naming *n, const char *file)
{
	const char *folder = n->survey->folder;
	size_t len = folder ? strlen(folder) : 0;
	return len > 1 && strncmp(file, folder, len) == 0 && file[len] == '/'
		   ? file + len + 1
		   : file;
}

static char *site(struct dh_naming *n, uint64_t pc)
{
	struct dh_source_frames frames = {0};
	char *text = NULL;
	int got = 0;
	dh_symbols_frames(n->survey->symbols, pc, &frames);
	const struct dh_source_frame *f = &frames.at[0];
	if (f->file)
		got = asprintf(&text, "%s:%u", below(n, f->file), f->line);
	else if (f->function)
		got = asprintf(&text, "%s+0x%" PRIx64, f->function, f->into);
	else if (f->module)
		got = asprintf(&text, "%s+0x%" PRIx64, below(n, f->module), f->offset);
	else
		got = asprintf(&text, "0x%" PRIx64, pc);
	dh_vec_free(&frames);
	return got < 0 ? NULL : text;
}

uint32_t dh_naming_site(struct dh_naming *n, uint64_t pc)
{
	bool fresh;
	if (!pc)
		return DH_SITE_NONE;
	uint64_t *at = dh_map_put(&n->sites, pc, &fresh);
	if (fresh) {
		char *text = site(n, pc);
		if (!text)
			abort();
		*at = dh_naming_text(n, DH_NAME_SITE, text);
		free(text);
	}
	return (uint32_t)*at;
}
