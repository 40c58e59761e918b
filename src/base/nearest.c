/* SPDX-License-Identifier: MIT */
/* See nearest.h. */
#include "base/nearest.h"

static char plain(char c)
{
	return c == '-' ? '_' : c;
}

unsigned dh_nearest_distance(const char *a, const char *b)
{
	enum { LONGEST = 32 };
	unsigned row[LONGEST + 1], lb = 0;
	for (; b[lb] && lb < LONGEST; lb++)
		row[lb] = lb;
	row[lb] = lb;
	for (unsigned i = 0; a[i] && i < LONGEST; i++) {
		unsigned before = row[0];
		row[0] = i + 1;
		for (unsigned j = 0; j < lb; j++) {
			unsigned swap = before + (plain(a[i]) != plain(b[j]));
			before = row[j + 1];
			row[j + 1] = DH_MIN(swap, DH_MIN(before, row[j]) + 1);
		}
	}
	return row[lb];
}
