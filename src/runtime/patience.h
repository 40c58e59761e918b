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
	DH_PATIENCE = 8,	/* waits in vain, less those that were not, until it is left */
	DH_PATIENCE_RETRY = 16, /* and after so many that were left out it is tried again */
};

struct dh_patience {
	uint8_t useless; /* waits */
	uint8_t left_out;
};

/* Shall it wait? */
DH_INLINE bool dh_patience_has(struct dh_patience *p)
{
	return p->useless < DH_PATIENCE || ++p->left_out % DH_PATIENCE_RETRY == 0;
}

/* It has waited. */
DH_INLINE void dh_patience_note(struct dh_patience *p, bool of_use)
{
	if (!of_use)
		p->useless = DH_MIN(p->useless + 1, DH_PATIENCE);
	else if (p->useless)
		p->useless--;
}

#endif
