/* SPDX-License-Identifier: MIT */
/* See safe.h. */
#include "report/safe.h"
#include "base/utf8.h"

#include <string.h>

/* Marks and overrides of direction, separators of lines, and the mark at the start of a
 * file: nothing to see, and text looks other than it is. */
static bool is_invisible(const unsigned char *p, size_t len)
{
	if (len != 3 || (p[0] != 0xe2 && p[0] != 0xef))
		return false;
	unsigned code = (p[0] & 0xfu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
	return (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2060 && code <= 0x206f) || code == 0xfeff;
}

size_t dh_safe_char(const char *p, size_t n, size_t *skip)
{
	const unsigned char *u = (const unsigned char *)p;
	size_t len = dh_utf8_len(u, n);
	*skip = len ? len : 1;
	return !len || dh_utf8_is_control(u, len) || is_invisible(u, len) ? 0 : len;
}

size_t dh_safe_copy(char *to, size_t size, const char *text, size_t len)
{
	size_t used = 0, column = 0, skip;
	for (size_t i = 0; i < len; i += skip) {
		size_t n = dh_safe_char(text + i, len - i, &skip);
		size_t tab = text[i] == '\t' ? 8 - column % 8 : 0;
		size_t need = n ? n : tab ? tab : 1;
		if (used + need >= size)
			break;
		if (n)
			memcpy(to + used, text + i, n);
		else
			memset(to + used, tab ? ' ' : '?', need);
		used += need;
		column += tab ? tab : 1;
	}
	if (size)
		to[used] = '\0';
	return used;
}

size_t dh_safe_print(FILE *to, const char *text, size_t len, size_t most)
{
	size_t written = 0, skip;
	for (size_t i = 0; i < len && written < most; i += skip, written++) {
		size_t n = dh_safe_char(text + i, len - i, &skip);
		if (n)
			fwrite(text + i, 1, n, to);
		else
			fputc('?', to);
	}
	return written;
}
