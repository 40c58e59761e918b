/* SPDX-License-Identifier: MIT */
/* Quoting for messages, see quote.h. */
#include "trace/quote.h"
#include "base/utf8.h"

#include <string.h>

enum { QUOTE_MAX = 64 }; /* bytes shown of the text */

struct dh_quoted dh_quote(const char *text, size_t len)
{
	struct dh_quoted q;
	char *to = q.text;
	size_t at = 0;
	*to++ = '\'';
	while (at < len) {
		const uint8_t *p = (const uint8_t *)text + at;
		size_t n = dh_utf8_len(p, len - at);
		if (at + DH_MAX(n, 1u) > QUOTE_MAX)
			break;
		if (n == 0 || dh_utf8_is_control(p, n))
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
