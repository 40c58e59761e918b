/* SPDX-License-Identifier: MIT */
/* Quoting for messages, see quote.h. */
#include "trace/quote.h"

#include <string.h>

enum { QUOTE_MAX = 64 }; /* bytes shown of the text */

/* No UTF-8 character is cut in two: bytes 10xxxxxx go on with one. */
static size_t cut(const char *text, size_t len)
{
	if (len <= QUOTE_MAX)
		return len;
	size_t n = QUOTE_MAX;
	while (n > QUOTE_MAX - 4 && ((uint8_t)text[n] & 0xc0) == 0x80)
		n--;
	return n;
}

struct dh_quoted dh_quote(const char *text, size_t len)
{
	struct dh_quoted q;
	char *to = q.text;
	size_t n = cut(text, len);
	*to++ = '\'';
	for (size_t i = 0; i < n; i++) {
		uint8_t c = (uint8_t)text[i];
		*to++ = c < ' ' || c == 0x7f ? '?' : (char)c;
	}
	if (n < len) {
		memcpy(to, "...", 3);
		to += 3;
	}
	*to++ = '\'';
	*to = '\0';
	return q;
}
