/* SPDX-License-Identifier: MIT */
/*
 * Whether a short wait is worth its while, from whether the last ones were: a thread that
 * has waited in vain several times leaves it, and tries once in a while. Zero-initialised
 * it has all its patience. For the thread itself only.
 */
#ifndef DH_RUNTIME_PATIENCE_H
#define DH_RUNTIME_PATIENCE_H

#include "base/base.h"

enum {
	DH_PATIENCE = 8, /* waits in vain, less those that were not, until it is left */
	DH_PATIENCE_RETRY =
	    16, /* and after so many that were left out it is tried again */
	DH_PATIENCE_LOST = DH_PATIENCE + 1, /* not for long: dh_patience_lose() */
	DH_PATIENCE_LONG = 1024,
};

struct dh_patience {
	uint16_t useless; /* waits */
	uint16_t left_out;
};

/* Shall it wait? */
DH_INLINE bool dh_patience_has(struct dh_patience *p)
{
	if (p->useless < DH_PATIENCE)
		return true;
	const unsigned gap =
	    p->useless == DH_PATIENCE ? DH_PATIENCE_RETRY : DH_PATIENCE_LONG;
	return ++p->left_out % gap == 0;
}

/* It has waited. */
DH_INLINE void dh_patience_note(struct dh_patience *p, bool of_use)
{
	if (!of_use)
		p->useless = (uint16_t)DH_MIN(p->useless + 1, DH_PATIENCE);
	else if (p->useless)
		p->useless--;
}

/* It has waited, and that was dear: to be left out for long. */
DH_INLINE void dh_patience_lose(struct dh_patience *p)
{
	p->useless = DH_PATIENCE_LOST;
	p->left_out = 0;
}

#endif
