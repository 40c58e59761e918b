/* SPDX-License-Identifier: MIT */
/* See safe.h. */
#include "report/safe.h"
#include "base/utf8.h"

size_t dh_safe_print(FILE *to, const char *text, size_t len, size_t most)
{
	const unsigned char *s = (const unsigned char *)text, *end = s + len;
	size_t written = 0;
	for (; s < end && written < most; written++) {
		size_t n = dh_utf8_len(s, (size_t)(end - s));
		if (n == 0 || dh_utf8_is_control(s, n))
			fputc('?', to);
		else
			fwrite(s, 1, n, to);
		s += n ? n : 1;
	}
	return written;
}
