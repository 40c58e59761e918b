/* SPDX-License-Identifier: MIT */
/* See statements.h. */
#include "assembler/statements.h"

#define LEN(a) (sizeof(a) / sizeof *(a))

/* Directives behind which an instruction stays what it was and where it was. The tables
 * that kernels keep of their lock prefixes need the first two, with what is in between.
 */
static const char *const harmless[] = {
    ".pushsection", ".popsection", ".balign", ".align", ".p2align", ".long",
    ".quad",	    ".byte",	   ".word",   ".4byte", ".8byte",   ".int",
    ".loc",	    ".globl",	   ".global", ".type",	".size",    ".hidden",
};

/* Instructions that reach no more than some bytes, or may be undone together with what
 * comes behind them; beginnings of their names. */
static const char *const touchy[] = {"loop", "jcxz", "jecxz", "jrcxz", "xbegin"};

/* The text is of tokens like these only. */
static bool is_plain(struct dh_text t)
{
	for (; t.at < t.end; t.at++)
		if (*t.at == '\'' || *t.at == '\\' || *t.at == '"')
			return false;
	return true;
}

/* A place that is counted from the instruction itself. */
static bool counts_bytes(struct dh_text operands)
{
	operands = dh_text_trim(operands);
	if (operands.at < operands.end && *operands.at == '*')
		operands.at++;
	if (operands.at == operands.end || *operands.at != '.')
		return false;
	struct dh_text rest = operands;
	return dh_text_len(dh_text_word(&rest)) == 1;
}

/* May one come between this statement and others? */
static bool is_harmless(struct dh_text statement)
{
	struct dh_text rest = statement, word = dh_text_word(&rest);
	if (word.at == word.end)
		return true;
	if (*word.at == '.') {
		for (size_t i = 0; i < LEN(harmless); i++)
			if (dh_text_is(word, harmless[i]))
				return !dh_text_find(rest, "rseq");
		return false;
	}
	for (size_t i = 0; i < LEN(touchy); i++)
		if (dh_text_starts(word, touchy[i]))
			return false;
	rest = dh_text_trim(rest);
	bool assigns = rest.at < rest.end && *rest.at == '=';
	return !assigns && is_plain(statement) && !counts_bytes(rest);
}

/* Takes labels off its start. */
static bool take_labels(struct dh_text *t)
{
	bool any = false;
	for (;;) {
		*t = dh_text_trim(*t);
		struct dh_text rest = *t, word = dh_text_word(&rest);
		if (word.at == word.end || rest.at == rest.end || *rest.at != ':')
			return any;
		t->at = rest.at + 1;
		any = true;
	}
}

/* Behind the comment that begins here, or here. */
static const char *behind_comment(const char *at, const char *end)
{
	if (at + 1 < end && at[0] == '/' && at[1] == '*') {
		for (at += 2; at + 1 < end; at++)
			if (at[0] == '*' && at[1] == '/')
				return at + 2;
		return end;
	}
	if (*at != '#')
		return at;
	const char *newline = memchr(at, '\n', (size_t)(end - at));
	return newline ? newline : end;
}

static const char *behind_string(const char *at, const char *end)
{
	for (at++; at < end && *at != '"'; at++)
		if (*at == '\\' && at + 1 < end)
			at++;
	return at < end ? at + 1 : end;
}

/* Where the statement ends that begins here: at a comment, or what parts it from the
 * next. */
static const char *end_of(const char *at, const char *end)
{
	while (at < end && *at != ';' && *at != '\n' && behind_comment(at, end) == at)
		at = *at == '"' ? behind_string(at, end) : at + 1;
	return at;
}

static bool add(struct dh_statements *s, struct dh_text t, bool labelled)
{
	if (s->count == DH_STATEMENTS_MOST)
		return false;
	s->labelled[s->count] = labelled;
	s->at[s->count++] = t;
	return true;
}

bool dh_statements_read(struct dh_text text, struct dh_statements *found)
{
	bool labelled = false;
	int away = 0; /* in another section for a while */
	found->count = 0;
	while (text.at < text.end) {
		const char *behind = behind_comment(text.at, text.end);
		if (behind > text.at || *text.at == ';' || *text.at == '\n') {
			text.at = behind > text.at ? behind : text.at + 1;
			continue;
		}
		struct dh_text one = {text.at, end_of(text.at, text.end)};
		text.at = one.end;
		labelled |= take_labels(&one);
		if (one.at == one.end)
			continue;
		if (!is_harmless(one))
			return false;
		away += dh_text_starts(one, ".pushsection");
		away -= dh_text_starts(one, ".popsection");
		if (away < 0 || (!away && *one.at != '.' && !add(found, one, labelled)))
			return false;
		labelled = false;
	}
	return away == 0;
}
