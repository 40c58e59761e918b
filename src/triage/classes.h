/* SPDX-License-Identifier: MIT */
/*
 * Similarity classes: which findings have one cause. RaceTrack section 3.6 classes its
 * warnings by how alike their stacks are, with shingles of frames as Broder has them for
 * pages of text; here the object has a say too.
 *
 * How alike two findings are is a sum: a point for each side that is the same (the same
 * function at nearly the same line; a part of a point by the shingles that the stacks
 * share where it is not), and for the object; the same variable is nearly enough by
 * itself. Findings that reach the threshold are linked, and links make classes. Chains of
 * links must not end somewhere else than they began: all of a class have something in
 * common (a function, the object), and a link that would leave nothing is not made.
 *
 * Pairs are not all compared: only those that share a bucket (the same variable, the same
 * two functions, one of these and the object, or a band of min-hashes over the shingles),
 * each with a few others in it. So the time is linear, and findings of one cause can be
 * missed to be so only where they share little.
 *
 * The result depends on the set of samples, not on their order. One thread; allocates.
 */
#ifndef DH_TRIAGE_CLASSES_H
#define DH_TRIAGE_CLASSES_H

#include "triage/finding.h"

struct dh_class_sample {
	uint64_t fingerprint; /* distinct */
	const struct dh_finding *finding;
	uint32_t class; /* result: the index of a sample, the same for all of a class */
	const char *common; /* result, of that sample: what all have in common: a function
			       or an object, as text of dh_pool; NULL where it is one */
	bool common_function;
};

struct dh_pool;

/* samples are in the order of their fingerprints. Texts come from the pool. */
void dh_classes_make(struct dh_class_sample *samples, size_t len, struct dh_pool *pool);

#endif
