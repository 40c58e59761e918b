/* SPDX-License-Identifier: MIT */
/* Suppression files; see suppress.h and docs/formats/suppressions.md. */
#define _GNU_SOURCE
#include "base/nearest.h"
#include "triage/suppress_internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static char *copy(const char *from, size_t n)
{
	char *text = strndup(from, n);
	DH_CHECK(text != NULL);
	return text;
}

static void free_rule(struct dh_rule *r)
{
	free(r->pattern);
	free(r->other);
	free((char *)r->shown.text);
	free((char *)r->shown.file);
}

struct dh_suppressions *dh_suppress_new(void)
{
	return dh_mem_alloc(sizeof(struct dh_suppressions));
}

void dh_suppress_free(struct dh_suppressions *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->rules.len; i++)
		free_rule(&s->rules.at[i]);
	dh_vec_free(&s->rules);
	free(s->error);
	dh_mem_free(s, sizeof *s);
}

const char *dh_suppress_error(const struct dh_suppressions *s)
{
	return s->error ? s->error : "";
}

static int fail(struct dh_suppressions *s, const char *format, ...)
{
	va_list args;
	free(s->error);
	va_start(args, format);
	if (vasprintf(&s->error, format, args) < 0)
		s->error = NULL;
	va_end(args);
	return -1;
}

/* ---- one line ---- */

struct line {
	const char *file;
	uint32_t number;
	const char *at;
	size_t len;
};

static const char *nearest(const char *word)
{
	const char *best = dh_rule_kinds[0].name;
	for (size_t i = 1; i < dh_rule_kind_count; i++)
		if (dh_nearest_distance(word, dh_rule_kinds[i].name) <
		    dh_nearest_distance(word, best))
			best = dh_rule_kinds[i].name;
	return best;
}

static const struct dh_rule_kind *find_kind(const char *word)
{
	for (size_t i = 0; i < dh_rule_kind_count; i++)
		if (strcmp(word, dh_rule_kinds[i].name) == 0)
			return &dh_rule_kinds[i];
	return NULL;
}

/* The two halves of a pair. */
static int split_pair(struct dh_suppressions *s, const struct line *l, struct dh_rule *r)
{
	char *arrow = strstr(r->pattern, "<->");
	if (!arrow || arrow == r->pattern || !arrow[3])
		return fail(s,
			    "%s:%u: a pair is two functions or files: pair:ONE<->OTHER",
			    l->file, l->number);
	r->other = copy(arrow + 3, strlen(arrow + 3));
	*arrow = '\0';
	return 0;
}

static int take(struct dh_suppressions *s, const struct line *l, struct dh_rule *r)
{
	const char *colon = memchr(l->at, ':', l->len);
	size_t n = colon ? (size_t)(colon - l->at) : l->len;
	char *word = copy(l->at, n);
	int bad = 0;
	r->kind = find_kind(word);
	if (!colon)
		bad = fail(s, "%s:%u: '%s' is no rule, which is KIND:PATTERN", l->file,
			   l->number, word);
	else if (!r->kind)
		bad =
		    fail(s, "%s:%u: no kind of rule is called '%s'; the nearest is '%s'",
			 l->file, l->number, word, nearest(word));
	else if (n + 1 == l->len)
		bad = fail(s, "%s:%u: there is nothing after '%s:'; '*' stands for all",
			   l->file, l->number, word);
	free(word);
	if (bad)
		return bad;
	r->pattern = copy(colon + 1, l->len - n - 1);
	r->shown = (struct dh_suppress_rule){
	    .text = copy(l->at, l->len),
	    .file = copy(l->file, strlen(l->file)),
	    .line = l->number,
	    .idle = r->kind->idle,
	    .elsewhere = strcmp(r->kind->name, "called_from_lib") == 0};
	return strcmp(r->kind->name, "pair") == 0 ? split_pair(s, l, r) : 0;
}

static void trim(struct line *l)
{
	while (l->len && isspace((unsigned char)l->at[0])) {
		l->at++;
		l->len--;
	}
	while (l->len && isspace((unsigned char)l->at[l->len - 1]))
		l->len--;
}

/* ---- whole files ---- */

int dh_suppress_parse(struct dh_suppressions *s, const char *text, const char *name)
{
	size_t before = s->rules.len;
	struct line l = {.file = name};
	while (*text) {
		l.at = text;
		l.len = strcspn(text, "\n");
		l.number++;
		text += l.len + (text[l.len] == '\n');
		trim(&l);
		if (!l.len || *l.at == '#')
			continue;
		struct dh_rule r = {0};
		int bad = take(s, &l, &r);
		if (!bad) {
			dh_vec_push(&s->rules, r);
			continue;
		}
		free_rule(&r);
		while (s->rules.len > before)
			free_rule(&s->rules.at[--s->rules.len]);
		return bad;
	}
	return 0;
}

int dh_suppress_read(struct dh_suppressions *s, const char *path)
{
	FILE *in = fopen(path, "re");
	char *text = NULL;
	size_t room = 0;
	if (!in)
		return fail(s, "%s: %s", path, strerror(errno));
	ssize_t n = getdelim(&text, &room, '\0', in);
	int bad = n < 0 && ferror(in) ? fail(s, "%s: %s", path, strerror(errno)) : 0;
	if (!bad && n > 0 && !feof(in) && getc(in) != EOF)
		bad = fail(s, "%s: not a text file", path);
	fclose(in);
	if (!bad && n > 0)
		bad = dh_suppress_parse(s, text, path);
	free(text);
	return bad;
}
