/* SPDX-License-Identifier: MIT */
/*
 * The parser of text.h: one pass over the line, no copy. Every step either moves
 * `at` behind what it has understood or says what it expected there.
 */
#include "trace/text.h"

#include "trace/quote.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What is left of the line. */
struct rest {
	const char *at, *end;
};

static const struct op_name {
	uint8_t len;
	char text[7];
} op_names[] = {
#define X(id, text, kind) {sizeof text - 1, text},
    DH_OPS(X)
#undef X
};

void dh_text_parser_init(struct dh_text_parser *p, struct dh_names *names)
{
	*p = (struct dh_text_parser){.names = names};
}

void dh_text_parser_free(struct dh_text_parser *p)
{
	dh_vec_free(&p->reach);
}

static DH_COLD bool bad(struct dh_text_parser *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static DH_COLD bool bad(struct dh_text_parser *p, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(p->message, sizeof p->message, format, args);
	va_end(args);
	return false;
}

static DH_COLD bool expected(struct dh_text_parser *p, const char *what,
			     const struct rest *r)
{
	if (r->at == r->end)
		return bad(p, "malformed line: %s expected at its end", what);
	return bad(p, "malformed line: %s expected before %s", what,
		   dh_quote(r->at, (size_t)(r->end - r->at)).text);
}

static bool byte(struct dh_text_parser *p, struct rest *r, char c, const char *what)
{
	if (DH_UNLIKELY(r->at == r->end || *r->at != c))
		return expected(p, what, r);
	r->at++;
	return true;
}

static bool next_is(const struct rest *r, char c)
{
	return r->at < r->end && *r->at == c;
}

/* A name in [*text, r->at); what it is for the message. */
static bool word(struct dh_text_parser *p, struct rest *r, const char **text,
		 const char *what)
{
	const char *at = r->at, *end = r->end;
	*text = at;
	while (at < end && !dh_names_stop[(uint8_t)*at])
		at++;
	r->at = at;
	return DH_LIKELY(at > *text) || expected(p, what, r);
}

static bool name(struct dh_text_parser *p, struct rest *r, enum dh_name_kind kind,
		 uint32_t *id, const char *what)
{
	const char *text;
	if (!word(p, r, &text, what))
		return false;
	*id = dh_names_intern(p->names, kind, text, (size_t)(r->at - text));
	return true;
}

static bool operation(struct dh_text_parser *p, struct rest *r, uint8_t *op)
{
	const char *text;
	if (!word(p, r, &text, "an operation"))
		return false;
	size_t len = (size_t)(r->at - text);
	if (!byte(p, r, '(', "'(' after the operation"))
		return false;
	for (unsigned i = 0; i < DH_OP_COUNT; i++)
		if (op_names[i].len == len && memcmp(op_names[i].text, text, len) == 0) {
			*op = (uint8_t)i;
			return true;
		}
	return bad(p, "unknown operation %s", dh_quote(text, len).text);
}

static bool reach(struct dh_text_parser *p, struct rest *r, struct dh_event *ev)
{
	p->reach.len = 0;
	do {
		uint32_t var;
		r->at++; /* the ':' or ',' */
		if (!name(p, r, DH_NAME_VAR, &var, "a variable"))
			return false;
		dh_vec_push(&p->reach, var);
	} while (next_is(r, ','));
	if (p->reach.len > UINT32_MAX)
		return bad(p, "malformed line: too many variables");
	ev->reach = p->reach.at;
	ev->reach_count = (uint32_t)p->reach.len;
	return true;
}

static bool value(struct dh_text_parser *p, struct rest *r, struct dh_event *ev)
{
	const char *begin = ++r->at; /* behind the '=' */
	bool minus = next_is(r, '-');
	if (minus || next_is(r, '+'))
		r->at++;
	const char *digits = r->at;
	uint64_t limit = (uint64_t)INT64_MAX + minus, v = 0;
	bool fits = true;
	for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
		uint64_t digit = (uint64_t)(*r->at - '0');
		fits = fits && v <= (limit - digit) / 10;
		v = v * 10 + digit;
	}
	if (r->at == digits)
		return expected(p, "an integer", r);
	if (!fits)
		return bad(p, "malformed line: value %s does not fit in 64 bits, signed",
			   dh_quote(begin, (size_t)(r->at - begin)).text);
	ev->has_value = true;
	ev->value = (int64_t)(minus ? -v : v);
	return true;
}

static bool location(struct dh_text_parser *p, struct rest *r, struct dh_event *ev)
{
	ev->site = DH_SITE_NONE;
	if (r->at == r->end)
		return true; /* the last field may be left out altogether */
	if (!byte(p, r, '|', "'|' or the end of the line"))
		return false;
	size_t len = (size_t)(r->end - r->at);
	if (memchr(r->at, '|', len))
		return bad(p, "malformed line: '|' in the location %s",
			   dh_quote(r->at, len).text);
	ev->site = dh_names_intern(p->names, DH_NAME_SITE, r->at, len);
	return true;
}

static bool line_of(struct dh_text_parser *p, struct rest *r, struct dh_event *ev)
{
	if (!name(p, r, DH_NAME_THREAD, &ev->thread, "a thread") ||
	    !byte(p, r, '|', "'|' after the thread") || !operation(p, r, &ev->op) ||
	    !name(p, r, dh_op_kind(ev->op), &ev->target, "an argument"))
		return false;
	if (ev->op == DH_METHOD_BEGIN && next_is(r, ':') && !reach(p, r, ev))
		return false;
	if (!byte(p, r, ')', "')' after the argument"))
		return false;
	if (dh_op_is_access(ev->op) && next_is(r, '=') && !value(p, r, ev))
		return false;
	return location(p, r, ev);
}

int dh_text_parse(struct dh_text_parser *p, const char *line, size_t len,
		  struct dh_event *ev)
{
	struct rest r = {line, line + len};
	while (r.end > r.at && r.end[-1] == '\r')
		r.end--;
	if (r.at == r.end || *r.at == '#')
		return 0;
	ev->has_value = false;
	ev->value = 0;
	ev->reach_count = 0;
	ev->reach = NULL;
	return line_of(p, &r, ev) ? 1 : -1;
}
