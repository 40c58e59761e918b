/* SPDX-License-Identifier: MIT */
/* See rewrite.h. */
#define _GNU_SOURCE
#include "assembler/rewrite.h"
#include <stdlib.h>
#include "assembler/emit.h"
#include "assembler/statements.h"
#include "assembler/unwinding.h"

struct rewriting {
	FILE *to;
	struct dh_unwinding unwinding;
	bool function; /* in one */
	bool other_syntax;
	size_t operations, fences; /* that tell */
	struct dh_statements statements;
};

static bool contains(struct dh_text t, const char *word)
{
	return memmem(t.at, dh_text_len(t), word, strlen(word)) != NULL;
}

bool dh_rewrite_worthwhile(struct dh_text text)
{
	return contains(text, "#APP") && contains(text, "__tsan_");
}

static void copy(struct rewriting *r, const char *from, const char *end)
{
	fwrite(from, 1, (size_t)(end - from), r->to);
}

/* ---- one asm statement ---- */

/* An instruction that tells, from its first prefix to its end. */
struct unit {
	struct dh_text all;
	struct dh_instruction is;
};

/* The one that begins with statement i; *next is the one behind it. Prefixes can be
 * statements of their own. */
static bool read_unit(const struct dh_statements *s, size_t i, struct unit *u,
		      size_t *next)
{
	bool locked = false;
	u->all = s->at[i];
	*next = i + 1;
	while (dh_instruction_is_prefix(s->at[*next - 1], &locked)) {
		if (*next == s->count || s->labelled[*next])
			return false;
		u->all.end = s->at[(*next)++].end;
	}
	return dh_instruction_read(s->at[*next - 1], locked, &u->is);
}

static void tell(struct rewriting *r, const struct unit *u)
{
	bool unwind = dh_unwinding_by_stack(&r->unwinding);
	if (u->is.what == DH_ASM_FENCE)
		r->fences++;
	else
		r->operations++;
	dh_emit_before(r->to, &u->is, unwind);
	copy(r, u->all.at, u->all.end);
	dh_emit_behind(r->to, &u->is, unwind);
}

/* Is this one all that is done, fences aside? */
static bool is_alone(const struct dh_statements *s, size_t i)
{
	struct dh_instruction other;
	for (size_t k = 0; k < s->count; k++)
		if (s->labelled[k] ||
		    (k != i && !(dh_instruction_read(s->at[k], false, &other) &&
				 other.what == DH_ASM_FENCE)))
			return false;
	return true;
}

static void rewrite_statement(struct rewriting *r, struct dh_text text)
{
	struct dh_statements *s = &r->statements;
	if (!r->function || r->other_syntax || !dh_statements_read(text, s)) {
		copy(r, text.at, text.end);
		return;
	}
	const char *done = text.at;
	struct unit u;
	for (size_t i = 0, next; i < s->count; i = next) {
		bool told = read_unit(s, i, &u, &next);
		if (!told && dh_instruction_read_move(s->at[i], &u.is)) {
			u.all = s->at[i];
			told = is_alone(s, i);
		}
		if (!told)
			continue;
		copy(r, done, u.all.at);
		tell(r, &u);
		done = u.all.end;
	}
	copy(r, done, text.end);
}

/* ---- the file ---- */

/* gcc's note of where in the source an asm statement begins, or that it ends. */
static bool is_marker(struct dh_text line)
{
	return dh_text_len(line) > 2 && line.at[0] == '#' && line.at[1] == ' ' &&
	       line.at[2] >= '0' && line.at[2] <= '9';
}

static bool is_line(struct dh_text line, const char *what)
{
	if (line.at < line.end && line.end[-1] == '\n')
		line.end--;
	return dh_text_is(dh_text_trim(line), what);
}

/* From behind #APP on, up to #NO_APP. */
static struct dh_text rewrite_block(struct rewriting *r, struct dh_text rest)
{
	const char *from = rest.at;
	while (rest.at < rest.end) {
		struct dh_text line = dh_text_line(&rest);
		bool ends = is_line(line, "#NO_APP");
		if (!ends && !is_marker(line))
			continue;
		if (from < line.at)
			rewrite_statement(r, (struct dh_text){from, line.at});
		copy(r, line.at, line.end);
		from = line.end;
		if (ends)
			return rest;
	}
	copy(r, from, rest.end);
	return rest;
}

/* What the compiler's own lines say of where we are. */
static void follow(struct rewriting *r, struct dh_text line)
{
	line = dh_text_trim(line);
	if (line.at == line.end || *line.at != '.')
		return;
	struct dh_text rest = line, word = dh_text_word(&rest);
	if (dh_text_is(word, ".type") && dh_text_find(rest, "@function"))
		r->function = true;
	else if (dh_text_is(word, ".size"))
		r->function = false;
	else if (dh_text_is(word, ".intel_syntax"))
		r->other_syntax = true;
	else if (dh_text_is(word, ".att_syntax"))
		r->other_syntax = false;
	else if (dh_text_starts(word, ".cfi_"))
		dh_unwinding_follow(&r->unwinding, word, dh_text_trim(rest));
}

size_t dh_rewrite(struct dh_text text, FILE *to)
{
	struct rewriting *r = calloc(1, sizeof *r);
	if (!r)
		return 0;
	r->to = to;
	while (text.at < text.end) {
		struct dh_text line = dh_text_line(&text);
		copy(r, line.at, line.end);
		if (is_line(line, "#APP"))
			text = rewrite_block(r, text);
		else
			follow(r, line);
	}
	dh_emit_functions(to, r->operations, r->fences);
	size_t told = r->operations + r->fences;
	free(r);
	return told;
}
