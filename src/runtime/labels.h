/* SPDX-License-Identifier: MIT */
/*
 * What the program has said about its memory: that races there are benign, or what a
 * variable is called. Asked when a race is about to be reported and never before, so it
 * costs nothing until then; the shadow goes on as if nothing was said.
 *
 * Concurrency: any thread; one lock inside, so the caller is `inside` the runtime
 * (thread.h).
 */
#ifndef DH_RUNTIME_LABELS_H
#define DH_RUNTIME_LABELS_H

#include "base/base.h"

enum dh_label_kind {
	DH_LABEL_BENIGN,
	DH_LABEL_NAME,
	DH_LABEL_OF_THREADS, /* parts of it are each one thread's: openmp/memory.h */
};

enum { DH_LABEL_MAX = 64 };

struct dh_label {
	uintptr_t from, to;
	enum dh_label_kind kind;
	uint64_t hits;		 /* how often it was found */
	char text[DH_LABEL_MAX]; /* the reason, or the name */
};

/* Bytes [addr, addr + size) are so labelled from now on. text is copied, and cut where
 * it is long; NULL is "". Of several for one byte the last counts. */
void dh_labels_add(enum dh_label_kind kind, uintptr_t addr, size_t size,
		   const char *text);

/* The label of this kind that a byte has, with its hit counted; false where it has none,
 * and then *out, which may be NULL, is as it was. */
bool dh_labels_find(enum dh_label_kind kind, uintptr_t addr, struct dh_label *out);

/* Is a race on this byte benign? */
DH_INLINE bool dh_benign(uintptr_t addr)
{
	return dh_labels_find(DH_LABEL_BENIGN, addr, NULL);
}

extern size_t dh_labels_count; /* atomic */
void dh_labels_forget_slow(uintptr_t addr, size_t size);

/* The memory is gone or means something else now: labels that begin in it are dropped.
 * Cheap enough for every free(). */
DH_INLINE void dh_labels_forget(uintptr_t addr, size_t size)
{
	/* Relaxed: who labels memory and who frees it are ordered by the program. */
	if (DH_UNLIKELY(__atomic_load_n(&dh_labels_count, __ATOMIC_RELAXED) != 0))
		dh_labels_forget_slow(addr, size);
}

/* How often dh_benign() has said yes. */
uint64_t dh_benign_hits(void);

#endif
