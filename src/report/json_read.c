/* SPDX-License-Identifier: MIT */
/* The JSON reader of json_read.h: recursive descent over one buffer. */
#include "report/json_read.h"

#include <string.h>

enum { DEEPEST = 64 };

static bool fail(struct dh_json_reader *r, const char *error)
{
	r->error = r->p >= r->end ? "it ends within a value" : error;
	r->cut = r->p >= r->end;
	r->at = (size_t)(r->p - r->from);
	return false;
}

static void blanks(struct dh_json_reader *r)
{
	while (r->p < r->end &&
	       (*r->p == ' ' || *r->p == '\t' || *r->p == '\n' || *r->p == '\r'))
		r->p++;
}

/* ---- texts ---- */

/* Is one of eight bytes a quote, a backslash or a control character? May also say so of
 * none (a borrow from the byte below), never miss one. */
static bool special(uint64_t w)
{
	const uint64_t ones = 0x0101010101010101ull, tops = ones << 7;
	uint64_t quote = w ^ ones * '"', slash = w ^ ones * '\\';
	return (((quote - ones) & ~quote) | ((slash - ones) & ~slash) |
		((w - ones * 0x20) & ~w)) &
	       tops;
}

static char *plain_end(char *p, const char *end)
{
	uint64_t w;
	while (end - p >= 8) {
		memcpy(&w, p, 8);
		if (special(w))
			break;
		p += 8;
	}
	while (p < end && *p != '"' && *p != '\\' && (unsigned char)*p >= 0x20)
		p++;
	return p;
}

static int hex4(const char *p, const char *end)
{
	int n = 0;
	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		char c = p[i], low = (char)(c | 0x20);
		int digit = c >= '0' && c <= '9'       ? c - '0'
			    : low >= 'a' && low <= 'f' ? low - 'a' + 10
						       : -1;
		if (digit < 0)
			return -1;
		n = n << 4 | digit;
	}
	return n;
}

static char *put_utf8(char *to, uint32_t c)
{
	if (c == 0 || (c >= 0xd800 && c < 0xe000))
		c = 0xfffd;
	if (c < 0x80) {
		*to++ = (char)c;
	} else if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
		*to++ = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*to++ = (char)(0xe0 | c >> 12);
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	} else {
		*to++ = (char)(0xf0 | c >> 18);
		*to++ = (char)(0x80 | (c >> 12 & 0x3f));
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	}
	return to;
}

/* r->p is after "\u". Six bytes of input never become more than three. */
static char *unicode(struct dh_json_reader *r, char *to)
{
	int high = hex4(r->p, r->end), low;
	if (high < 0)
		return NULL;
	r->p += 4;
	if (high >= 0xd800 && high < 0xdc00 && r->end - r->p >= 6 && r->p[0] == '\\' &&
	    r->p[1] == 'u' && (low = hex4(r->p + 2, r->end)) >= 0xdc00 && low < 0xe000) {
		r->p += 6;
		high = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
	}
	return put_utf8(to, (uint32_t)high);
}

/* r->p is at a backslash. NULL where what follows is no escape. */
static char *escape(struct dh_json_reader *r, char *to)
{
	static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
	if (r->end - r->p < 2) {
		r->p = r->end;
		return NULL;
	}
	char c = r->p[1];
	const char *known = c ? strchr(from, c) : NULL;
	r->p += 2;
	if (c == 'u')
		return unicode(r, to);
	if (!known)
		return NULL;
	*to = into[known - from];
	return to + 1;
}

/* r->p is after the opening quote. */
static bool text(struct dh_json_reader *r, const char **out, uint32_t *len)
{
	char *start = r->p, *to;
	r->p = to = plain_end(r->p, r->end);
	while (r->p < r->end && *r->p == '\\') {
		to = escape(r, to);
		if (!to)
			return fail(r, "this is no escape sequence");
		char *next = plain_end(r->p, r->end);
		memmove(to, r->p, (size_t)(next - r->p));
		to += next - r->p;
		r->p = next;
	}
	if (r->p >= r->end || *r->p != '"')
		return fail(r, "a control character in a text has to be escaped");
	if (to - start > UINT32_MAX)
		return fail(r, "a text of more than four gigabytes");
	r->p++;
	*to = '\0';
	*out = start;
	*len = (uint32_t)(to - start);
	return true;
}

/* ---- values ---- */

static bool value(struct dh_json_reader *r, const char *key, uint32_t key_len);

static void digits(struct dh_json_reader *r)
{
	while (r->p < r->end && *r->p >= '0' && *r->p <= '9')
		r->p++;
}

static bool number(struct dh_json_reader *r, struct dh_json_value *v)
{
	char *start = r->p;
	r->p += *r->p == '-';
	char *whole = r->p;
	digits(r);
	if (r->p == whole)
		return fail(r, "a value was to begin here");
	if (r->p < r->end && *r->p == '.') {
		r->p++;
		digits(r);
	}
	if (r->p < r->end && (*r->p | 0x20) == 'e') {
		r->p++;
		if (r->p < r->end && (*r->p == '+' || *r->p == '-'))
			r->p++;
		digits(r);
	}
	v->type = DH_JSON_NUMBER;
	v->text = start;
	v->len = (uint32_t)(r->p - start);
	return true;
}

static bool word(struct dh_json_reader *r, const char *w, enum dh_json_type type,
		 struct dh_json_value *v)
{
	size_t n = strlen(w), there = (size_t)(r->end - r->p);
	if (strncmp(r->p, w, DH_MIN(n, there)) != 0)
		return fail(r, "a value was to begin here");
	if (there < n) {
		r->p = r->end;
		return fail(r, NULL);
	}
	r->p += n;
	v->type = type;
	return true;
}

static bool member(struct dh_json_reader *r)
{
	const char *key;
	uint32_t len;
	if (r->p >= r->end || *r->p != '"')
		return fail(r, "the name of a member was to begin here");
	r->p++;
	if (!text(r, &key, &len))
		return false;
	blanks(r);
	if (r->p >= r->end || *r->p != ':')
		return fail(r, "a colon was to be here");
	r->p++;
	return value(r, key, len);
}

/* r->p is after the opening bracket. */
static bool inside(struct dh_json_reader *r, bool object)
{
	char close = object ? '}' : ']';
	if (++r->depth > DEEPEST)
		return fail(r, "values are nested too deeply");
	blanks(r);
	if (r->p < r->end && *r->p == close) {
		r->p++;
		r->depth--;
		return true;
	}
	for (;;) {
		blanks(r);
		if (object ? !member(r) : !value(r, NULL, 0))
			return false;
		blanks(r);
		if (r->p >= r->end || (*r->p != ',' && *r->p != close))
			return fail(r, object
					   ? "a comma or a closing brace was to be here"
					   : "a comma or a closing bracket was to be "
					     "here");
		if (*r->p++ == close)
			break;
	}
	r->depth--;
	return true;
}

static bool scalar(struct dh_json_reader *r, struct dh_json_value *v)
{
	switch (*r->p) {
	case '"':
		r->p++;
		v->type = DH_JSON_TEXT;
		return text(r, &v->text, &v->len);
	case 't':
		return word(r, "true", DH_JSON_TRUE, v);
	case 'f':
		return word(r, "false", DH_JSON_FALSE, v);
	case 'n':
		return word(r, "null", DH_JSON_NULL, v);
	default:
		return number(r, v);
	}
}

static bool value(struct dh_json_reader *r, const char *key, uint32_t key_len)
{
	size_t me = r->values.len;
	struct dh_json_value v = {.key = key, .key_len = key_len, .span = 1};
	blanks(r);
	if (r->p >= r->end)
		return fail(r, NULL);
	bool object = *r->p == '{';
	if (!object && *r->p != '[') {
		if (!scalar(r, &v))
			return false;
		dh_vec_push(&r->values, v);
		return true;
	}
	r->p++;
	v.type = object ? DH_JSON_OBJECT : DH_JSON_ARRAY;
	dh_vec_push(&r->values, v);
	if (!inside(r, object))
		return false;
	r->values.at[me].span = (uint32_t)(r->values.len - me);
	return true;
}

const struct dh_json_value *dh_json_read(struct dh_json_reader *r, char *bytes,
					 size_t len)
{
	r->values.len = 0;
	r->depth = 0;
	r->error = NULL;
	r->cut = false;
	r->from = r->p = bytes;
	r->end = bytes + len;
	if (!value(r, NULL, 0))
		return NULL;
	blanks(r);
	if (r->p < r->end) {
		fail(r, "something follows the value");
		return NULL;
	}
	return r->values.at;
}

void dh_json_reader_free(struct dh_json_reader *r)
{
	dh_vec_free(&r->values);
}

/* ---- accessors ---- */

const struct dh_json_value *dh_json_find(const struct dh_json_value *v, const char *key,
					 size_t key_len)
{
	if (!dh_json_is(v, DH_JSON_OBJECT))
		return NULL;
	for (const struct dh_json_value *c = dh_json_first(v); c; c = dh_json_next(v, c))
		if (c->key_len == key_len && memcmp(c->key, key, key_len) == 0)
			return c;
	return NULL;
}

const char *dh_json_text_of(const struct dh_json_value *v)
{
	return dh_json_is(v, DH_JSON_TEXT) ? v->text : NULL;
}

/* The magnitude of a whole number; its sign is looked at by the caller. */
static bool magnitude(const struct dh_json_value *v, uint64_t *n)
{
	if (!dh_json_is(v, DH_JSON_NUMBER))
		return false;
	*n = 0;
	for (uint32_t i = v->text[0] == '-'; i < v->len; i++) {
		uint64_t digit = (uint64_t)(v->text[i] - '0');
		if (digit > 9 || __builtin_mul_overflow(*n, 10, n) ||
		    __builtin_add_overflow(*n, digit, n))
			return false;
	}
	return true;
}

uint64_t dh_json_uint(const struct dh_json_value *v, uint64_t otherwise)
{
	uint64_t n;
	return magnitude(v, &n) && v->text[0] != '-' ? n : otherwise;
}

int64_t dh_json_int(const struct dh_json_value *v, int64_t otherwise)
{
	uint64_t n;
	if (!magnitude(v, &n) || n > INT64_MAX)
		return otherwise;
	return v->text[0] == '-' ? -(int64_t)n : (int64_t)n;
}
