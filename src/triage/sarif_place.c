/* SPDX-License-Identifier: MIT */
/*
 * Places in SARIF: files as URIs, relative to the folder SRCROOT where they lie below
 * it, and regions with the lines of source that are at hand. A name may hold any bytes;
 * in a URI all but the harmless ones are escaped, so nothing of it is lost.
 */
#define _GNU_SOURCE /* vasprintf */
#include "triage/sarif.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void percent(FILE *to, const char *path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-._~/+@$!=,";
	for (; *path; path++)
		if (strchr(plain, *path))
			fputc(*path, to);
		else
			fprintf(to, "%%%02X", (unsigned char)*path);
}

/* "file://" before what is absolute; a relative one must not look like "c:...". */
static char *uri_of(const char *path, const char *end)
{
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);
	if (*path == '/')
		fputs("file://", to);
	percent(to, path);
	fputs(end, to);
	fclose(to);
	return text;
}

void dh_sarif_artifact(struct dh_sarif *s, const char *key, const char *file)
{
	const char *path = dh_render_path(s->o, file);
	char *uri = uri_of(path, "");
	dh_json_open(&s->j, key, '{');
	dh_json_text(&s->j, "uri", uri);
	if (*path != '/' && s->o->folder)
		dh_json_text(&s->j, "uriBaseId", "SRCROOT");
	dh_json_close(&s->j, '}');
	free(uri);
}

void dh_sarif_folder(struct dh_sarif *s, const char *key, const char *folder)
{
	size_t len = strlen(folder);
	char *uri = uri_of(folder, len && folder[len - 1] == '/' ? "" : "/");
	dh_json_open(&s->j, key, '{');
	dh_json_text(&s->j, "uri", uri);
	dh_json_close(&s->j, '}');
	free(uri);
}

/* How many columns a line has, as SARIF counts them: in UTF-16. */
static uint64_t columns(const struct dh_excerpt_line *l)
{
	uint64_t n = 0;
	for (size_t i = 0; i < l->len; i++) {
		unsigned char c = (unsigned char)l->text[i];
		n += (c & 0xc0) != 0x80; /* each character once... */
		n += c >= 0xf0;		 /* ...and those beyond 16 bits twice */
	}
	return n;
}

static void snippet(struct dh_sarif *s, const struct dh_excerpt *e, size_t from,
		    size_t count)
{
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);
	for (size_t i = from; i < from + count; i++) {
		fwrite(e->at[i].text, 1, e->at[i].len, to);
		if (count > 1)
			fputc('\n', to);
	}
	fclose(to);
	dh_sarif_say(s, "snippet", "%s", text);
	free(text);
}

static void region(struct dh_sarif *s, const struct dh_finding_frame *f,
		   const struct dh_excerpt *e)
{
	const struct dh_excerpt_line *line = NULL;
	size_t at = 0;
	for (size_t i = 0; i < e->len; i++)
		if (e->at[i].marked)
			line = &e->at[at = i];
	uint64_t column = f->column ? f->column : 1;
	uint64_t end = line ? columns(line) + 1 : 0;
	dh_json_open(&s->j, "region", '{');
	dh_json_number(&s->j, "startLine", f->line);
	dh_json_number(&s->j, "startColumn", column);
	dh_json_number(&s->j, "endLine", f->line);
	dh_json_number(&s->j, "endColumn", end > column ? end : column + 1);
	if (line)
		snippet(s, e, at, 1);
	dh_json_close(&s->j, '}');
	if (e->len < 2)
		return;
	dh_json_open(&s->j, "contextRegion", '{');
	dh_json_number(&s->j, "startLine", e->at[0].number);
	dh_json_number(&s->j, "endLine", e->at[e->len - 1].number);
	snippet(s, e, 0, e->len);
	dh_json_close(&s->j, '}');
}

static void physical(struct dh_sarif *s, const struct dh_finding_frame *f,
		     uint32_t around, const struct dh_finding_run *run)
{
	struct dh_excerpt e = {.len = 0};
	if (f->file && f->line && around)
		e = dh_excerpt(s->o->excerpts, f->file, f->line, around, run->time);
	dh_json_open(&s->j, "physicalLocation", '{');
	dh_sarif_artifact(s, "artifactLocation", f->file ? f->file : f->module);
	if (f->file && f->line)
		region(s, f, &e);
	dh_json_close(&s->j, '}');
}

static void logical(struct dh_sarif *s, const struct dh_finding_frame *f)
{
	dh_json_open(&s->j, "logicalLocations", '[');
	dh_json_open(&s->j, NULL, '{');
	dh_json_text(&s->j, "fullyQualifiedName", f->function);
	dh_json_text(&s->j, "kind", "function");
	dh_json_close(&s->j, '}');
	dh_json_close(&s->j, ']');
}

void dh_sarif_place(struct dh_sarif *s, const struct dh_finding_frame *f, uint32_t around,
		    const struct dh_finding_run *run)
{
	if (f->file || f->module)
		physical(s, f, around, run);
	if (f->function)
		logical(s, f);
}

void dh_sarif_say(struct dh_sarif *s, const char *key, const char *format, ...)
{
	char *text = NULL;
	va_list args;
	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		abort();
	va_end(args);
	dh_json_open(&s->j, key, '{');
	dh_json_text(&s->j, "text", text);
	dh_json_close(&s->j, '}');
	free(text);
}
