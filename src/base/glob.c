/* SPDX-License-Identifier: MIT */
/* See glob.h. The last star takes as few letters as it can, and one more each time that
 * what follows does not fit. */
#include "base/glob.h"

bool dh_glob(const char *pattern, size_t len, const char *text, bool whole)
{
	const char *p = pattern, *end = pattern + len;
	bool from_start = len && *p == '^';
	bool to_end = len > from_start && end[-1] == '$';
	p += from_start;
	end -= to_end;
	from_start |= whole;
	to_end |= whole;
	const char *star = from_start ? NULL : p, *again = text;
	for (;;) {
		if (p < end && *p == '*') {
			star = ++p;
			again = text;
		} else if (p == end && (!to_end || !*text)) {
			return true;
		} else if (p < end && *text && *p == *text) {
			p++;
			text++;
		} else if (star && *again) {
			p = star;
			text = ++again;
		} else {
			return false;
		}
	}
}
