/* SPDX-License-Identifier: MIT */
/* See line.h: a line to tokens, and a look around each token that is the name. */
#define _GNU_SOURCE
#include "triage/line.h"

#include <string.h>

enum { MOST = 160 }; /* tokens of a line; longer lines are looked at so far */

enum kind { WORD, NUMBER, TEXT, SIGN };

struct token {
	enum kind kind;
	const char *at;
	size_t len;
};

struct tokens {
	size_t len;
	struct token at[MOST];
};

/* ---- tokens ---- */

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
	       c == '_' || (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *past_text(const char *p, const char *end)
{
	char quote = *p++;
	while (p < end && *p != quote)
		p += *p == '\\' && p + 1 < end ? 2 : 1;
	return p < end ? p + 1 : end;
}

static const char *past_sign(const char *p, const char *end)
{
	static const char *const signs[] = {
	    "<<=", ">>=", "...", "->", "++", "--", "==", "!=", "<=", ">=", "&&", "||",
	    "+=",  "-=",  "*=",	 "/=", "%=", "&=", "|=", "^=", "::", "<<", ">>"};
	for (size_t i = 0; i < DH_ARRAY_LEN(signs); i++) {
		size_t n = strlen(signs[i]);
		if ((size_t)(end - p) >= n && memcmp(p, signs[i], n) == 0)
			return p + n;
	}
	return p + 1;
}

/* A comment is blank. One that goes on to the next line ends the tokens. */
static const char *past_blanks(const char *p, const char *end)
{
	for (;;) {
		while (p < end && (*p == ' ' || *p == '\t' || *p == '\r'))
			p++;
		if (end - p < 2 || p[0] != '/' || (p[1] != '/' && p[1] != '*'))
			return p;
		const char *close =
		    p[1] == '*' ? memmem(p + 2, (size_t)(end - p) - 2, "*/", 2) : NULL;
		p = close ? close + 2 : end;
	}
}

static void read_tokens(const char *line, size_t len, struct tokens *t)
{
	const char *p = line, *end = line + len;
	t->len = 0;
	while ((p = past_blanks(p, end)) < end && t->len < MOST) {
		struct token *k = &t->at[t->len++];
		k->at = p;
		if (is_digit(*p)) {
			k->kind = NUMBER;
			while (p < end && (is_word(*p) || *p == '.'))
				p++;
		} else if (is_word(*p)) {
			k->kind = WORD;
			while (p < end && is_word(*p))
				p++;
		} else if (*p == '"' || *p == '\'') {
			k->kind = TEXT;
			p = past_text(p, end);
		} else {
			k->kind = SIGN;
			p = past_sign(p, end);
		}
		k->len = (size_t)(p - k->at);
	}
}

static bool is(const struct tokens *t, size_t i, const char *text)
{
	return i < t->len && t->at[i].len == strlen(text) &&
	       memcmp(t->at[i].at, text, t->at[i].len) == 0;
}

static bool is_any(const struct tokens *t, size_t i, const char *const *texts,
		   size_t count)
{
	for (size_t k = 0; k < count; k++)
		if (is(t, i, texts[k]))
			return true;
	return false;
}

/* ---- around a token ---- */

/* The token after the one that closes the bracket at i; t->len where none does. */
static size_t past_bracket(const struct tokens *t, size_t i)
{
	size_t depth = 0;
	for (; i < t->len; i++) {
		if (is(t, i, "(") || is(t, i, "["))
			depth++;
		else if ((is(t, i, ")") || is(t, i, "]")) && --depth == 0)
			return i + 1;
	}
	return t->len;
}

/* The first token of the access path that ends in the word at i: of `a->b.c`, `a`. */
static size_t path_start(const struct tokens *t, size_t i)
{
	while (i >= 2 &&
	       (is(t, i - 1, ".") || is(t, i - 1, "->") || is(t, i - 1, "::"))) {
		size_t before = i - 2, depth = 0;
		while (before > 0 &&
		       (depth || is(t, before, "]") || is(t, before, ")"))) {
			depth += is(t, before, "]") || is(t, before, ")");
			depth -= is(t, before, "[") || is(t, before, "(");
			before--;
		}
		if (t->at[before].kind != WORD)
			return i;
		i = before;
	}
	return i;
}

/* Past the word at i and what it is indexed by. */
static size_t path_end(const struct tokens *t, size_t i)
{
	for (i++; is(t, i, "[");)
		i = past_bracket(t, i);
	return i;
}

static bool is_empty(const struct tokens *t, size_t i)
{
	static const char *const words[] = {"NULL", "nullptr", "0", "false"};
	return is_any(t, i, words, DH_ARRAY_LEN(words));
}

static bool is_constant(const struct tokens *t, size_t i)
{
	static const char *const words[] = {"NULL", "nullptr", "true", "false"};
	return i < t->len && (t->at[i].kind == NUMBER || t->at[i].kind == TEXT ||
			      is_any(t, i, words, DH_ARRAY_LEN(words)));
}

static bool is_update(const struct tokens *t, size_t i)
{
	static const char *const signs[] = {
	    "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
	return is_any(t, i, signs, DH_ARRAY_LEN(signs));
}

static bool is_operator(const struct tokens *t, size_t i)
{
	static const char *const signs[] = {"+", "-", "*", "/",	 "%",
					    "&", "|", "^", "<<", ">>"};
	return is_any(t, i, signs, DH_ARRAY_LEN(signs));
}

/* Is no more than the size of it asked for? */
static bool is_size(const struct tokens *t, size_t i)
{
	i = path_start(t, i);
	while (i > 0 && (is(t, i - 1, "*") || is(t, i - 1, "(")))
		i--;
	return i > 0 && is(t, i - 1, "sizeof");
}

static bool ends_statement(const struct tokens *t, size_t i)
{
	return i >= t->len || is(t, i, ";") || is(t, i, ",") || is(t, i, ")") ||
	       is(t, i, "}");
}

static bool same_word(const struct token *k, struct dh_line_word w)
{
	return k->kind == WORD && k->len == w.len && memcmp(k->at, w.text, w.len) == 0;
}

/* Is what begins at `start` declared here? A type stands before it. */
static bool is_declared(const struct tokens *t, size_t start)
{
	static const char *const no_types[] = {"return", "else", "do", "case", "goto"};
	size_t i = start;
	while (i > 0 && (is(t, i - 1, "*") || is(t, i - 1, "&")))
		i--;
	return i > 0 && (is(t, i - 1, ">") || t->at[i - 1].kind == WORD) &&
	       !is_any(t, i - 1, no_types, DH_ARRAY_LEN(no_types));
}

/* ---- uses ---- */

/* The name is assigned to; i is after the `=`. */
static unsigned assigned(const struct tokens *t, size_t i, struct dh_line_word name,
			 struct dh_line_word *constant)
{
	size_t sign = is(t, i, "-") ? 1 : 0;
	if (is_constant(t, i + sign) && ends_statement(t, i + sign + 1)) {
		constant->text = t->at[i].at;
		constant->len =
		    (size_t)(t->at[i + sign].at + t->at[i + sign].len - t->at[i].at);
		return DH_USE_ASSIGN | DH_USE_CONSTANT;
	}
	unsigned uses = DH_USE_ASSIGN;
	for (size_t k = i; k < t->len && !is(t, k, ";"); k++) {
		if (!same_word(&t->at[k], name) || is(t, k + 1, "(") || is_size(t, k))
			continue;
		uses |= DH_USE_SELF;
		if (is_operator(t, path_end(t, k)) ||
		    (path_start(t, k) > i && is_operator(t, path_start(t, k) - 1)))
			uses |= DH_USE_UPDATE;
	}
	return uses;
}

/* In the parentheses after a word at `head` that belongs to the token at i? */
static bool within(const struct tokens *t, size_t head, size_t i)
{
	return is(t, head + 1, "(") && head < i && i < past_bracket(t, head + 1);
}

static bool leaves(const struct tokens *t, size_t then)
{
	then += is(t, then, "{");
	return is(t, then, "return") || is(t, then, "goto") || is(t, then, "continue") ||
	       is(t, then, "break");
}

/* Who leaves where it is empty does not go on to make it. */
static unsigned tested(const struct tokens *t, size_t head, size_t start, size_t end)
{
	bool empty = is(t, start - 1, "!") ||
		     (is(t, end, "==") && is_empty(t, end + 1)) ||
		     (is(t, start - 1, "==") && start >= 2 && is_empty(t, start - 2));
	bool bare = is(t, start - 1, "(") && is(t, end, ")");
	bool away = leaves(t, past_bracket(t, head + 1));
	if (empty)
		return away ? 0 : DH_USE_TEST_EMPTY;
	return bare && away ? DH_USE_TEST_LEAVE : 0;
}

/* The second part of for (;;) is a condition too. */
static bool in_for(const struct tokens *t, size_t head, size_t i)
{
	unsigned parts = 0;
	for (size_t k = head + 1; k < i; k++)
		parts += is(t, k, ";");
	return parts == 1;
}

static unsigned conditions(const struct tokens *t, size_t start, size_t end)
{
	unsigned uses = 0;
	for (size_t head = 0; head < start; head++) {
		if (!within(t, head, start))
			continue;
		if (is(t, head, "if"))
			uses |= tested(t, head, start, end);
		else if (is(t, head, "while") ||
			 (is(t, head, "for") && in_for(t, head, start)))
			uses |= DH_USE_LOOP;
	}
	return uses;
}

static unsigned uses_at(const struct tokens *t, size_t i, struct dh_line_word name,
			struct dh_line_word *constant)
{
	size_t start = path_start(t, i), end = path_end(t, i);
	unsigned uses = DH_USE_ANY | conditions(t, start, end);
	bool star = start > 0 && is(t, start - 1, "*") &&
		    (start == 1 || t->at[start - 2].kind == SIGN);
	if (is_declared(t, start) && !star)
		return is(t, end, "=") ? 0 : uses;
	if (star || end > i + 1 || is(t, end, "->"))
		uses |= DH_USE_DEREF;
	if (is_update(t, end) ||
	    (start > 0 && (is(t, start - 1, "++") || is(t, start - 1, "--"))))
		uses |= DH_USE_UPDATE;
	else if (is(t, end, "="))
		uses |= assigned(t, end + 1, name, constant);
	return uses;
}

unsigned dh_line_uses(const char *line, size_t len, struct dh_line_word name,
		      struct dh_line_word *constant)
{
	struct tokens t;
	unsigned uses = 0;
	*constant = (struct dh_line_word){NULL, 0};
	read_tokens(line, len, &t);
	for (size_t i = 0; name.len && i < t.len; i++)
		if (same_word(&t.at[i], name) && !is(&t, i + 1, "("))
			uses |= uses_at(&t, i, name, constant);
	return uses;
}

struct dh_line_word dh_line_target(const char *line, size_t len)
{
	struct tokens t;
	struct dh_line_word found = {NULL, 0};
	read_tokens(line, len, &t);
	for (size_t i = 0; i < t.len; i++) {
		size_t end = path_end(&t, i), start = path_start(&t, i);
		bool before =
		    start > 0 && (is(&t, start - 1, "++") || is(&t, start - 1, "--"));
		bool path_goes_on = is(&t, end, "->") || is(&t, end, ".");
		if (t.at[i].kind != WORD || path_goes_on ||
		    !(before || is_update(&t, end) || is(&t, end, "=")))
			continue;
		if (found.len)
			return (struct dh_line_word){NULL, 0};
		found = (struct dh_line_word){t.at[i].at, t.at[i].len};
	}
	return found;
}

bool dh_line_leaves(const char *line, size_t len)
{
	struct tokens t;
	read_tokens(line, len, &t);
	return leaves(&t, 0);
}

bool dh_line_is_empty(struct dh_line_word constant)
{
	struct tokens t;
	read_tokens(constant.text, constant.len, &t);
	return t.len == 1 && is_empty(&t, 0);
}

/* Words that have "lock" in them and mean something else. */
static bool is_lock_word(const struct token *k)
{
	char low[64];
	size_t n = DH_MIN(k->len, sizeof low - 1);
	for (size_t i = 0; i < n; i++)
		low[i] = (char)(k->at[i] >= 'A' && k->at[i] <= 'Z' ? k->at[i] | 0x20
								   : k->at[i]);
	low[n] = '\0';
	return strstr(low, "lock") && !strstr(low, "unlock") && !strstr(low, "clock") &&
	       !strstr(low, "block");
}

bool dh_line_locks(const char *line, size_t len)
{
	struct tokens t;
	read_tokens(line, len, &t);
	for (size_t i = 0; i < t.len; i++)
		if (t.at[i].kind == WORD && is_lock_word(&t.at[i]) &&
		    !is(&t, i + 1, ",") && !is(&t, i + 1, ")"))
			return true;
	return false;
}

struct dh_line_word dh_line_last_word(const char *text)
{
	const char *p = text + strlen(text);
	while (p > text) { /* past what it is indexed by */
		if (p[-1] == ']') {
			while (p > text && p[-1] != '[')
				p--;
			p -= p > text;
		} else if (is_word(p[-1])) {
			break;
		} else {
			p--;
		}
	}
	const char *end = p;
	while (p > text && is_word(p[-1]))
		p--;
	return (struct dh_line_word){p, (size_t)(end - p)};
}
