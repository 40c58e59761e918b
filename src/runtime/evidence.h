/* SPDX-License-Identifier: MIT */
/*
 * How the program uses what it has raced on: once a race is reported, later accesses to
 * its bytes are counted, with the locks held, what values they find, and by whom. Sent
 * with the end of the run (report/wire.h), for who ranks findings: a lock that nearly all
 * accesses hold and the racing ones did not says more than two stacks.
 *
 * Only where somebody will read it (--json). Bounded: so many granules, so many accesses
 * to each. Meanwhile the granule's cell has a tag that sends every access to it by the
 * slow path (split.c); nothing else becomes slower.
 *
 * Concurrency: any thread, `inside`; one lock inside. Does not allocate.
 */
#ifndef DH_RUNTIME_EVIDENCE_H
#define DH_RUNTIME_EVIDENCE_H

#include "runtime/thread.h"

enum {
	DH_EVIDENCE_RACES = 256,
	DH_EVIDENCE_MOST = 8, /* locks, steps and threads told apart */
	DH_EVIDENCE_ACCESSES = 10000,
};

/* A race has been reported: its bytes are to be watched from now on. */
void dh_evidence_watch(uint64_t serial, uintptr_t granule, unsigned mask,
		       uint32_t first_site, uint32_t second_site);

/* Is the granule to be watched? */
bool dh_evidence_wants(uintptr_t granule);

/* An access to a granule that is watched, before the program makes it: its bytes, enum
 * dh_access_flags. False where enough was seen. */
bool dh_evidence_access(struct dh_self *t, uintptr_t granule, unsigned mask,
			unsigned flags, uint64_t pc);

/* May the value at an address be looked at? NULL: any may, since the program has no handlers
 * that could take a fault of ours for one of its own. */
extern bool (*dh_evidence_readable)(uintptr_t address);

struct dh_evidence_count {
	int64_t what; /* a lock, a step */
	uint32_t count;
};

/* What was counted of a granule. */
struct dh_evidence_facts {
	uintptr_t granule;
	unsigned mask; /* bytes that count */
	bool full;     /* counting stopped */
	uint32_t accesses, reads, writes, atomics, read_then_write, unlocked;
	uint32_t same_value, other_steps;
	struct dh_evidence_count locks[DH_EVIDENCE_MOST], steps[DH_EVIDENCE_MOST];
	uint32_t threads[DH_EVIDENCE_MOST], thread_count; /* ids */
};

/* Of a race. */
struct dh_evidence {
	uint64_t serial;
	uint32_t first_site, second_site;
	uint32_t at_first, at_second; /* accesses from there */
	struct dh_evidence_facts facts;
};

/* The i-th race that was watched, locks and steps with the most frequent first; false
 * where there are no more. */
bool dh_evidence_get(uint32_t i, struct dh_evidence *out);

/* In the child of a fork: nothing was seen yet. */
void dh_evidence_forget(void);

#endif
