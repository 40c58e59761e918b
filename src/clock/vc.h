/* SPDX-License-Identifier: MIT */
/*
 * Vector clocks: slot -> clock, shared by reference and copied when written.
 * A NULL pointer is the clock that is zero everywhere.
 *
 * Reference counts are plain: a clock and everything that shares it belongs to
 * one thread at a time (offline analysis), or is handed over under the lock of
 * the synchronisation object that carries it. Allocates; not for signal handlers.
 */
#ifndef DH_CLOCK_VC_H
#define DH_CLOCK_VC_H

#include "base/base.h"

struct dh_vc {
	uint32_t refs;    /* holders of this very object; written only when 1 */
	uint32_t len;     /* entries from here on are zero and not stored */
	uint32_t cap;
	uint32_t clock[]; /* by slot */
};

/* The clock of a slot; 0 where nothing is known. */
DH_INLINE uint32_t dh_vc_get(const struct dh_vc *v, uint32_t slot)
{
	return v && slot < v->len ? v->clock[slot] : 0;
}

/* One more holder; returns v. */
DH_INLINE struct dh_vc *dh_vc_ref(struct dh_vc *v)
{
	if (v)
		v->refs++;
	return v;
}

/* One holder less; the last frees it. NULL is passed over. */
void dh_vc_unref(struct dh_vc *v);

/* *v[slot] <- clock. */
void dh_vc_set(struct dh_vc **v, uint32_t slot, uint32_t clock);

/* *v <- entry-wise maximum of *v and with. Returns whether *v changed. Shares
 * `with` instead of copying where *v knows nothing more. */
bool dh_vc_join(struct dh_vc **v, struct dh_vc *with);

/* Is a <= b in every entry? */
bool dh_vc_leq(const struct dh_vc *a, const struct dh_vc *b);

/* How many entries are not zero. */
uint32_t dh_vc_count(const struct dh_vc *v);

#endif
