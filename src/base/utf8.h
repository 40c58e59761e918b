/* SPDX-License-Identifier: MIT */
/*
 * UTF-8 of unknown origin, for who shows names and paths to people or writes them
 * into a format that has to be valid. Touches nothing but the bytes it is given.
 */
#ifndef DH_BASE_UTF8_H
#define DH_BASE_UTF8_H

#include "base/base.h"

/* The length of the character at p, of which n >= 1 bytes are there; 0 where the bytes
 * are no valid one (overlong, a surrogate, past U+10FFFF, cut short). */
static inline size_t dh_utf8_len(const unsigned char *p, size_t n)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t len = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	if (len < 2 || len > n)
		return len > n ? 0 : len;
	uint32_t code = p[0] & (0xffu >> (len + 1));
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (p[i] & 0x3f);
	}
	bool surrogate = code >= 0xd800 && code < 0xe000;
	return code < least[len] || code > 0x10ffff || surrogate ? 0 : len;
}

/* Is the character at p (of this length) one that could steer a terminal: C0, DEL or
 * C1? */
static inline bool dh_utf8_is_control(const unsigned char *p, size_t len)
{
	return len == 1 ? p[0] < 0x20 || p[0] == 0x7f : p[0] == 0xc2 && p[1] < 0xa0;
}

#endif
