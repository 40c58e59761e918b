/* SPDX-License-Identifier: MIT */
/* Quoting for messages, see quote.h. */
#include "trace/quote.h"

#include <string.h>

enum { QUOTE_MAX = 64 }; /* bytes shown of the text */

/* The length of the UTF-8 character at p, or 0 where there is none. Overlong forms
 * and the like pass: they do no harm here. */
static size_t utf8(const uint8_t *p, size_t n)
{
	size_t len = p[0] < 0x80	     ? 1
		     : (p[0] & 0xe0) == 0xc0 ? 2
		     : (p[0] & 0xf0) == 0xe0 ? 3
		     : (p[0] & 0xf8) == 0xf0 ? 4
					     : 0;
	if (len > n)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

struct dh_quoted dh_quote(const char *text, size_t len)
{
	struct dh_quoted q;
	char *to = q.text;
	size_t at = 0;
	*to++ = '\'';
	while (at < len) {
		const uint8_t *p = (const uint8_t *)text + at;
		size_t n = utf8(p, len - at);
		if (at + DH_MAX(n, 1u) > QUOTE_MAX)
			break;
		if (n == 0 || p[0] < ' ' || p[0] == 0x7f)
			*to++ = '?';
		else
			to = (char *)memcpy(to, p, n) + n;
		at += DH_MAX(n, 1u);
	}
	if (at < len)
		to = (char *)memcpy(to, "...", 3) + 3;
	*to++ = '\'';
	*to = '\0';
	return q;
}
