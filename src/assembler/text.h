/* SPDX-License-Identifier: MIT */
/* Pieces of assembly text, by their two ends. Nothing is copied, nothing ends in '\0'. */
#ifndef DH_ASSEMBLER_TEXT_H
#define DH_ASSEMBLER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

struct dh_text {
	const char *at, *end;
};

static inline size_t dh_text_len(struct dh_text t)
{
	return (size_t)(t.end - t.at);
}

static inline bool dh_text_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/* Letters, digits and what else a name can have. */
static inline bool dh_text_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '$';
}

/* Without blanks at the ends. */
static inline struct dh_text dh_text_trim(struct dh_text t)
{
	while (t.at < t.end && dh_text_blank(*t.at))
		t.at++;
	while (t.at < t.end && dh_text_blank(t.end[-1]))
		t.end--;
	return t;
}

/* The same but for upper and lower case, as the assembler sees it. */
static inline bool dh_text_is(struct dh_text t, const char *word)
{
	size_t n = strlen(word);
	return dh_text_len(t) == n && strncasecmp(t.at, word, n) == 0;
}

static inline bool dh_text_starts(struct dh_text t, const char *with)
{
	size_t n = strlen(with);
	return dh_text_len(t) >= n && strncasecmp(t.at, with, n) == 0;
}

/* Where the word stands in it; NULL where it does not. */
static inline const char *dh_text_find(struct dh_text t, const char *word)
{
	for (; t.at < t.end; t.at++)
		if (dh_text_starts(t, word))
			return t.at;
	return NULL;
}

/* Takes the characters of a name off its start. */
static inline struct dh_text dh_text_word(struct dh_text *t)
{
	struct dh_text word = {t->at, t->at};
	while (t->at < t->end && dh_text_name(*t->at))
		word.end = ++t->at;
	return word;
}

/* Takes a line off its start, the newline with it if there is one. */
static inline struct dh_text dh_text_line(struct dh_text *t)
{
	const char *newline = memchr(t->at, '\n', dh_text_len(*t));
	struct dh_text line = {t->at, newline ? newline + 1 : t->end};
	t->at = line.end;
	return line;
}

#endif
