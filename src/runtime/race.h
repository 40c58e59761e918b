/* SPDX-License-Identifier: MIT */
/*
 * From two records to a report: called by access.c when it finds an access that is
 * unordered with this one. De-duplicates by pair of sites, gathers all facts and hands
 * them to the reporter, who knows whether that is a finding (findings.h).
 */
#ifndef DH_RUNTIME_RACE_H
#define DH_RUNTIME_RACE_H

#include "runtime/thread.h"

/* The bytes `mask` of the granule; mine is this thread's access with its flags
 * (dh_access_flags), other the earlier one. The thread is `inside`. */
void dh_race_found(struct dh_self *t, uintptr_t granule, unsigned mask, dh_record mine,
		   unsigned flags, dh_record other, bool other_write);

/* The same for engines that keep no records. f has the grade, the bytes that both
 * touched, the two sides (of the first what is known of it, also when it was) and nothing
 * else; the rest is filled in. */
struct dh_race_facts;
void dh_race_state(struct dh_self *t, struct dh_race_facts *f);

/* The same of one that was held back, for faults.h. */
void dh_race_tell(struct dh_self *t, struct dh_race_facts *f);

/* Do such findings change the exit status? */
bool dh_race_counts(const struct dh_race_facts *f);

/* How often any was met, in this process. */
uint64_t dh_race_total(void);

/* After a fork, in the child: counts from zero. Races of the parent stay known. */
void dh_race_forget_total(void);

#endif
