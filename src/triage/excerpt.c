/* SPDX-License-Identifier: MIT */
/* See excerpt.h. */
#define _GNU_SOURCE
#include "triage/excerpt.h"
#include "triage/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { LARGEST = 16 << 20, LONGEST = 4096, AROUND = 15 };

struct file {
	char *bytes; /* NULL: not there */
	size_t len;
	time_t changed;
	struct dh_vec(uint32_t) lines; /* where each begins */
};

struct dh_excerpts {
	const char *const *folders;
	size_t folders_len;
	struct dh_map names; /* hash of a name to its file, from 1 */
	struct dh_vec(struct file) files;
};

struct dh_excerpts *dh_excerpts_new(const char *const *folders, size_t count)
{
	struct dh_excerpts *e = dh_mem_alloc(sizeof *e);
	e->folders = folders;
	e->folders_len = count;
	return e;
}

void dh_excerpts_free(struct dh_excerpts *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < e->files.len; i++) {
		dh_mem_free(e->files.at[i].bytes, e->files.at[i].len + 1);
		dh_vec_free(&e->files.at[i].lines);
	}
	dh_vec_free(&e->files);
	dh_map_free(&e->names);
	dh_mem_free(e, sizeof *e);
}

/* ---- files ---- */

/* As it is named; else its longest end that is there, below each folder in turn. */
static FILE *open_file(const struct dh_excerpts *e, const char *name)
{
	FILE *f = fopen(name, "re");
	for (size_t i = 0; !f && i < e->folders_len; i++)
		for (const char *end = name; !f && end; end = strchr(end, '/')) {
			char *path;
			end += *end == '/';
			if (!*end || asprintf(&path, "%s/%s", e->folders[i], end) < 0)
				break;
			f = fopen(path, "re");
			free(path);
		}
	return f;
}

static void index_lines(struct file *f)
{
	dh_vec_push(&f->lines, 0);
	for (size_t i = 0; i + 1 < f->len; i++)
		if (f->bytes[i] == '\n')
			dh_vec_push(&f->lines, (uint32_t)(i + 1));
}

/* A pipe or device of that name is not opened for good: its size is not known. */
static void load(struct file *f, FILE *from)
{
	struct stat st;
	if (fstat(fileno(from), &st) || !S_ISREG(st.st_mode) || st.st_size <= 0 ||
	    st.st_size > LARGEST)
		return;
	f->len = (size_t)st.st_size;
	f->bytes = dh_mem_alloc(f->len + 1);
	f->changed = st.st_mtime;
	if (fread(f->bytes, 1, f->len, from) != f->len ||
	    memchr(f->bytes, '\0', f->len)) {
		dh_mem_free(f->bytes, f->len + 1);
		*f = (struct file){0};
		return;
	}
	index_lines(f);
}

static const struct file *find(struct dh_excerpts *e, const char *name)
{
	uint64_t *known =
	    dh_map_put(&e->names, dh_pool_hash(5, name, strlen(name)), NULL);
	if (!*known) {
		struct file f = {0};
		struct stat st;
		bool odd = stat(name, &st) == 0 && !S_ISREG(st.st_mode);
		FILE *from = odd ? NULL : open_file(e, name);
		if (from) {
			load(&f, from);
			fclose(from);
		}
		dh_vec_push(&e->files, f);
		*known = e->files.len;
	}
	return &e->files.at[*known - 1];
}

/* ---- lines ---- */

static struct dh_excerpt_line line_at(const struct file *f, uint32_t number)
{
	size_t from = f->lines.at[number - 1];
	size_t to = number < f->lines.len ? f->lines.at[number] : f->len;
	while (to > from && (f->bytes[to - 1] == '\n' || f->bytes[to - 1] == '\r'))
		to--;
	if (to - from > LONGEST)
		for (to = from + LONGEST; to > from && (f->bytes[to] & 0xc0) == 0x80;)
			to--; /* a character stays whole */
	return (struct dh_excerpt_line){
	    .number = number, .text = f->bytes + from, .len = to - from};
}

static bool changed_since(const struct file *f, const char *since)
{
	struct tm tm = {0};
	const char *end = since ? strptime(since, "%Y-%m-%dT%H:%M:%SZ", &tm) : NULL;
	return end && !*end && f->changed > timegm(&tm);
}

struct dh_excerpt dh_excerpt(struct dh_excerpts *e, const char *file, uint32_t line,
			     uint32_t around, const char *since)
{
	struct dh_excerpt x = {0};
	const struct file *f = e && file && line ? find(e, file) : NULL;
	if (!f || !f->bytes || line > f->lines.len)
		return x;
	around = DH_MIN(around, (uint32_t)AROUND);
	uint32_t from = line > around ? line - around : 1;
	uint32_t to = (uint32_t)DH_MIN(f->lines.len, (size_t)line + around);
	x.newer = changed_since(f, since);
	for (uint32_t i = from; i <= to; i++) {
		x.at[x.len] = line_at(f, i);
		x.at[x.len++].marked = i == line;
	}
	return x;
}
