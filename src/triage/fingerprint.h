/* SPDX-License-Identifier: MIT */
/*
 * What a finding goes by: an identity that stays the same when lines move, addresses
 * change and the program is compiled again at another level of optimisation. It is made
 * of the unordered pair of functions that the two accesses are in, and of the object.
 * docs/design/triage.md says what of these is left out, and why.
 *
 * Functions are pure; they allocate nothing that outlives the call.
 */
#ifndef DH_TRIAGE_FINGERPRINT_H
#define DH_TRIAGE_FINGERPRINT_H

#include "triage/names.h"

/* As people and files see it: 16 hexadecimal digits. */
struct dh_fingerprint_text {
	char text[17];
};

/* What an object is known by. */
struct dh_fingerprint_object {
	const char *kind; /* "global", "heap", "label", ... */
	struct dh_name name;
	bool named; /* one thing in the program, and not all that was allocated there */
};

void dh_fingerprint_object(const struct dh_finding_object *o,
			   struct dh_fingerprint_object *to);

uint64_t dh_fingerprint(const struct dh_finding *f);

/* All fingerprints under which what the finding says may come again: that of each two of
 * its accesses, further ones too, since which of them meet first is a matter of luck. */
void dh_fingerprints(const struct dh_finding *f,
		     void (*tell)(uint64_t fingerprint, enum dh_grade grade, void *with),
		     void *with);
struct dh_fingerprint_text dh_fingerprint_text(uint64_t fingerprint);

#endif
