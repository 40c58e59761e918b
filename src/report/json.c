/* SPDX-License-Identifier: MIT */
/* The JSON writer of json.h. */
#include "report/json.h"

#include <inttypes.h>
#include <stddef.h>

/* Length of the UTF-8 sequence at s, or 0 where there is no valid one. */
static size_t utf8_len(const unsigned char *s)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (n < 2)
		return n;
	uint32_t code = s[0] & (0xffu >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	bool surrogate = code >= 0xd800 && code < 0xe000;
	return code < least[n] || code > 0x10ffff || surrogate ? 0 : n;
}

static void string(FILE *to, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	fputc('"', to);
	while (*s) {
		size_t n = utf8_len(s);
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

void dh_json_null(struct dh_json *j, const char *key)
{
	before(j, key);
	fputs("null", j->to);
}
