/* SPDX-License-Identifier: MIT */
/* The JSON writer of json.h. */
#include "report/json.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <string.h>

static void string(FILE *to, const char *text)
{
	const unsigned char *s = (const unsigned char *)text, *end = s + strlen(text);
	fputc('"', to);
	while (s < end) {
		size_t n = dh_utf8_len(s, (size_t)(end - s));
		if (n == 0) {
			fputs("\\ufffd", to);
			s++;
			continue;
		}
		if (*s == '"' || *s == '\\')
			fprintf(to, "\\%c", *s);
		else if (*s < 0x20 || *s == 0x7f)
			fprintf(to, "\\u%04x", *s);
		else
			fwrite(s, 1, n, to);
		s += n;
	}
	fputc('"', to);
}

static void before(struct dh_json *j, const char *key)
{
	if (j->comma)
		fputc(',', j->to);
	j->comma = true;
	if (key) {
		string(j->to, key);
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
	string(j->to, value);
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
