/* SPDX-License-Identifier: MIT */
/*
 * The tables of the HTML report: texts, frames and stacks once each, and the lines of
 * source around the frames. Ten thousand causes of one program share most of these.
 */
#include "triage/page.h"
#include "triage/describe.h"
#include "triage/names.h"

#include <inttypes.h>
#include <string.h>

enum {
	CALLER_LINES = 2,	/* of source around a call */
	DECLARED_LINES = 1,	/* around the declaration of a variable */
	MAX_LINES = 200 * 1000, /* of source in all */
};

enum { INLINED = 1, FOLDED = 2, LOST = 4, SYSTEM = 8, NEWER = 16 };

static uint32_t put(struct dh_map *ids, uint64_t key, size_t next, bool *fresh)
{
	uint64_t *id = dh_map_put(ids, key, fresh);
	if (*fresh)
		*id = next;
	return (uint32_t)*id;
}

/* Equal texts of a set are one pointer; those of two may come twice. */
static uint32_t string_id(struct dh_page_tables *t, const char *text)
{
	bool fresh;
	uint32_t id = put(&t->string_ids, (uintptr_t)text, t->strings.len, &fresh);
	if (fresh)
		dh_vec_push(&t->strings, text);
	return id;
}

static uint32_t frame_id(struct dh_page_tables *t, const struct dh_finding_frame *f,
			 uint32_t around, const char *since)
{
	bool fresh;
	uint32_t id = put(&t->frame_ids, (uintptr_t)f, t->frames.len, &fresh);
	if (fresh)
		dh_vec_push(&t->frames, (struct dh_page_frame){f, since, around});
	t->frames.at[id].around = DH_MAX(t->frames.at[id].around, around);
	return id;
}

uint32_t dh_page_stack(struct dh_page_tables *t, const struct dh_finding_stack *s,
		       uint32_t around, const char *since)
{
	bool fresh;
	const struct dh_finding_frame *where = dh_stack_where(s);
	uint32_t id = put(&t->stack_ids, (uintptr_t)s, t->stacks.len, &fresh);
	if (fresh)
		dh_vec_push(&t->stacks, s);
	for (uint32_t i = 0; i < s->len; i++)
		frame_id(t, s->at[i], s->at[i] == where ? around : CALLER_LINES, since);
	return id;
}

void dh_page_line(struct dh_page_tables *t, const char *file, uint32_t line,
		  const char *since)
{
	dh_vec_push(&t->declared, (struct dh_page_line){file, since, line});
}

/* ---- writing ---- */

static void string_or_none(struct dh_page_tables *t, struct dh_json *j, const char *text)
{
	if (text)
		dh_json_number(j, NULL, string_id(t, text));
	else
		dh_json_null(j, NULL);
}

static void write_frame(struct dh_page_tables *t, struct dh_json *j,
			const struct dh_page_frame *p, bool newer)
{
	const struct dh_finding_frame *f = p->frame;
	char offset[24];
	snprintf(offset, sizeof offset, "0x%" PRIx64, f->offset);
	dh_json_open(j, NULL, '[');
	string_or_none(t, j, f->function);
	string_or_none(t, j, f->file ? dh_render_path(t->o, f->file) : NULL);
	dh_json_number(j, NULL, f->line);
	dh_json_number(j, NULL, f->column);
	string_or_none(t, j, f->module);
	dh_json_text(j, NULL, f->offset ? offset : "");
	dh_json_number(j, NULL,
		       (f->inlined ? INLINED : 0) | (f->folded ? FOLDED : 0) |
			   (f->lost ? LOST : 0) | (dh_frame_is_library(f) ? SYSTEM : 0) |
			   (newer ? NEWER : 0));
	dh_json_close(j, ']');
}

/* The lines of an excerpt that are not written yet, as [file, first, [line...]]. */
static void write_excerpt(struct dh_page_tables *t, struct dh_json *j, uint32_t file,
			  const struct dh_excerpt *e)
{
	bool open = false;
	for (size_t i = 0; i < e->len; i++) {
		bool fresh;
		*dh_map_put(&t->lines, (uint64_t)file << 32 | e->at[i].number, &fresh) =
		    1;
		if (open && !fresh) {
			dh_json_close(j, ']');
			dh_json_close(j, ']');
		}
		if (!open && fresh) {
			dh_json_open(j, NULL, '[');
			dh_json_number(j, NULL, file);
			dh_json_number(j, NULL, e->at[i].number);
			dh_json_open(j, NULL, '[');
		}
		if (fresh)
			dh_json_bytes(j, NULL, e->at[i].text, e->at[i].len);
		open = fresh;
	}
	if (open) {
		dh_json_close(j, ']');
		dh_json_close(j, ']');
	}
}

static void write_lines(struct dh_page_tables *t, struct dh_json *j, const char *file,
			uint32_t line, uint32_t around, const char *since)
{
	if (!file || !line || t->lines.len >= MAX_LINES)
		return;
	struct dh_excerpt e = dh_excerpt(t->o->excerpts, file, line, around, since);
	write_excerpt(t, j, string_id(t, dh_render_path(t->o, file)), &e);
}

static void write_sources(struct dh_page_tables *t, struct dh_json *j)
{
	dh_json_open(j, "sources", '[');
	for (size_t i = 0; i < t->frames.len; i++) {
		const struct dh_page_frame *p = &t->frames.at[i];
		write_lines(t, j, p->frame->file, p->frame->line, p->around, p->since);
	}
	for (size_t i = 0; i < t->declared.len; i++) {
		const struct dh_page_line *l = &t->declared.at[i];
		write_lines(t, j, l->file, l->line, DECLARED_LINES, l->since);
	}
	dh_json_close(j, ']');
	dh_json_bool(j, "sources_cut", t->lines.len >= MAX_LINES);
}

static void write_frames(struct dh_page_tables *t, struct dh_json *j)
{
	dh_json_open(j, "frames", '[');
	for (size_t i = 0; i < t->frames.len; i++) {
		const struct dh_page_frame *p = &t->frames.at[i];
		bool newer = false;
		if (p->frame->file && p->frame->line)
			newer = dh_excerpt(t->o->excerpts, p->frame->file, p->frame->line,
					   0, p->since)
				    .newer;
		write_frame(t, j, p, newer);
	}
	dh_json_close(j, ']');
}

static void write_stacks(struct dh_page_tables *t, struct dh_json *j)
{
	dh_json_open(j, "stacks", '[');
	for (size_t i = 0; i < t->stacks.len; i++) {
		const struct dh_finding_stack *s = t->stacks.at[i];
		dh_json_open(j, NULL, '[');
		for (uint32_t k = 0; k < s->len; k++)
			dh_json_number(j, NULL, frame_id(t, s->at[k], 0, NULL));
		dh_json_close(j, ']');
	}
	dh_json_close(j, ']');
}

/* Strings last: the others add to them. */
void dh_page_tables_write(struct dh_page_tables *t, struct dh_json *j)
{
	write_stacks(t, j);
	write_frames(t, j);
	write_sources(t, j);
	dh_json_open(j, "strings", '[');
	for (size_t i = 0; i < t->strings.len; i++)
		dh_json_text(j, NULL, t->strings.at[i]);
	dh_json_close(j, ']');
}

void dh_page_tables_free(struct dh_page_tables *t)
{
	dh_vec_free(&t->strings);
	dh_vec_free(&t->frames);
	dh_vec_free(&t->stacks);
	dh_vec_free(&t->declared);
	dh_map_free(&t->string_ids);
	dh_map_free(&t->frame_ids);
	dh_map_free(&t->stack_ids);
	dh_map_free(&t->lines);
}
