/* SPDX-License-Identifier: MIT */
/* See sheet.h. */
#define _GNU_SOURCE
#include "triage/sheet.h"
#include "report/safe.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void dh_sheet_add(struct dh_sheet *s, enum dh_style style, const char *format, ...)
{
	char *raw;
	va_list args;
	va_start(args, format);
	int len = vasprintf(&raw, format, args);
	va_end(args);
	DH_CHECK(len >= 0);
	size_t from = s->text.len, room = (size_t)len * 8 + 1; /* all of it may be tabs */
	dh_vec_reserve(&s->text, from + room);
	size_t used = dh_safe_copy(s->text.at + from, room, raw, (size_t)len);
	while (used > 0 && s->text.at[from + used - 1] == ' ')
		used--;
	s->text.len = from + used;
	dh_vec_push(&s->lines, (struct dh_sheet_line){style, from, used});
	free(raw);
}

static const char *escape(enum dh_style style)
{
	static const char *const escapes[] = {
	    [DH_STYLE_PLAIN] = "",	   [DH_STYLE_BOLD] = "\033[1m",
	    [DH_STYLE_DIM] = "\033[2m",	   [DH_STYLE_MARK] = "\033[1;33m",
	    [DH_STYLE_RED] = "\033[1;31m",
	};
	return escapes[style];
}

static void put(const char *text, size_t len, enum dh_style style, bool colour, FILE *to)
{
	bool painted = colour && style != DH_STYLE_PLAIN && len;
	if (painted)
		fputs(escape(style), to);
	fwrite(text, 1, len, to);
	if (painted)
		fputs("\033[0m", to);
}

static void empty(struct dh_sheet *s)
{
	s->lines.len = s->text.len = 0;
}

void dh_sheet_print(struct dh_sheet *s, unsigned indent, bool colour, FILE *to)
{
	for (size_t i = 0; i < s->lines.len; i++) {
		const struct dh_sheet_line *l = &s->lines.at[i];
		if (l->len)
			fprintf(to, "%*s", (int)indent, "");
		put(s->text.at + l->from, l->len, l->style, colour, to);
		fputc('\n', to);
	}
	empty(s);
}

/* Bytes of text in at most `width` characters; *columns is how many those are. */
static size_t fit(const char *text, size_t len, unsigned width, unsigned *columns)
{
	size_t at = 0, skip;
	for (*columns = 0; at < len && *columns < width; (*columns)++) {
		dh_safe_char(text + at, len - at, &skip);
		at += skip;
	}
	return at;
}

/* One piece of a line, at most as wide as the column, padded to that where something
 * follows; the line becomes shorter by it. */
static void put_piece(const struct dh_sheet *s, struct dh_sheet_line *l, unsigned width,
		      bool pad, bool colour, FILE *to)
{
	unsigned columns;
	size_t n = fit(s->text.at + l->from, l->len, width, &columns);
	put(s->text.at + l->from, n, l->style, colour, to);
	if (pad)
		fprintf(to, "%*s", (int)(width - columns), "");
	l->from += n;
	l->len -= n;
}

void dh_sheet_print_both(struct dh_sheet *left, struct dh_sheet *right, unsigned indent,
			 unsigned width, bool colour, FILE *to)
{
	struct dh_sheet_line none = {0};
	for (size_t i = 0; i < left->lines.len || i < right->lines.len; i++) {
		struct dh_sheet_line l = i < left->lines.len ? left->lines.at[i] : none;
		struct dh_sheet_line r = i < right->lines.len ? right->lines.at[i] : none;
		do {
			fprintf(to, "%*s", (int)indent, "");
			put_piece(left, &l, width, true, colour, to);
			fputs(r.len ? " | " : " |", to);
			put_piece(right, &r, width, false, colour, to);
			fputc('\n', to);
		} while (l.len || r.len);
	}
	empty(left);
	empty(right);
}

void dh_sheet_free(struct dh_sheet *s)
{
	dh_vec_free(&s->lines);
	dh_vec_free(&s->text);
}
