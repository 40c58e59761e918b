/* SPDX-License-Identifier: MIT */
/* The JSON writer of json.h. */
#include "report/json.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <string.h>

/* Must it be written as \uXXXX? Control characters always; in a page also what markup
 * is made of, and the two line ends that scripts know and JSON does not. */
static bool special(const struct dh_json *j, const unsigned char *s, size_t n)
{
	if (n == 1)
		return *s < 0x20 || *s == 0x7f ||
		       (j->markup && (*s == '<' || *s == '>' || *s == '&'));
	return j->markup && n == 3 && s[0] == 0xe2 && s[1] == 0x80 && (s[2] & 0xfe) == 0xa8;
}

/* How many bytes from s on are written as they are. */
static size_t plain(const struct dh_json *j, const unsigned char *s, const unsigned char *end)
{
	const unsigned char *at = s;
	while (at < end) {
		size_t n = *at < 0x80 ? 1 : dh_utf8_len(at, (size_t)(end - at));
		if (n == 0 || *at == '"' || *at == '\\' || special(j, at, n))
			break;
		at += n;
	}
	return (size_t)(at - s);
}

static void string(const struct dh_json *j, const char *text, size_t len)
{
	const unsigned char *s = (const unsigned char *)text, *end = s + len;
	fputc('"', j->to);
	for (;;) {
		size_t n = plain(j, s, end);
		fwrite(s, 1, n, j->to);
		s += n;
		if (s == end)
			break;
		n = dh_utf8_len(s, (size_t)(end - s));
		if (n == 0)
			fputs("\\ufffd", j->to);
		else if (*s == '"' || *s == '\\')
			fprintf(j->to, "\\%c", *s);
		else
			fprintf(j->to, "\\u%04x", n == 1 ? *s : 0x2000u | (s[2] & 0x3f));
		s += n ? n : 1;
	}
	fputc('"', j->to);
}

static void before(struct dh_json *j, const char *key)
{
	if (j->comma)
		fputc(',', j->to);
	j->comma = true;
	if (key) {
		string(j, key, strlen(key));
		fputc(':', j->to);
	}
}

void dh_json_open(struct dh_json *j, const char *key, char bracket)
{
	before(j, key);
	fputc(bracket, j->to);
	j->comma = false;
}

void dh_json_close(struct dh_json *j, char bracket)
{
	fputc(bracket, j->to);
	j->comma = true;
}

void dh_json_text(struct dh_json *j, const char *key, const char *value)
{
	before(j, key);
	string(j, value, strlen(value));
}

void dh_json_bytes(struct dh_json *j, const char *key, const char *value, size_t len)
{
	before(j, key);
	string(j, value, len);
}

void dh_json_number(struct dh_json *j, const char *key, uint64_t value)
{
	before(j, key);
	fprintf(j->to, "%" PRIu64, value);
}

void dh_json_signed(struct dh_json *j, const char *key, int64_t value)
{
	before(j, key);
	fprintf(j->to, "%" PRId64, value);
}

void dh_json_bool(struct dh_json *j, const char *key, bool value)
{
	before(j, key);
	fputs(value ? "true" : "false", j->to);
}

void dh_json_null(struct dh_json *j, const char *key)
{
	before(j, key);
	fputs("null", j->to);
}
