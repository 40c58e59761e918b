/* SPDX-License-Identifier: MIT */
/*
 * Families: tasks that one task makes in a row, in one group and without waiting in
 * between. Nothing orders them, and nobody waits for one of them without waiting for all.
 *
 * So what one of them has read stands for the same read by another (kin.h), if whoever
 * will come after the first comes after the second, too. That is so
 *   - once the first has ended, and with it all tasks that come of it, which know what it
 * has read, and might come to write there: who is left to learn of it are those who wait
 * for both;
 *   - unless it has told others by another way, a lock, an atomic, a region of its own,
 * or one of its tasks has (dh_thread_state.told); or has dependences, or an event. Who
 * wrote there is looked at all the same, since that may have been between the creation of
 * the two. A race of the second with a later write is then found as one of the first.
 *
 * In a tree of tasks that read the same data this is what keeps cells with one record
 * each, that nobody has to write to. Tasks in lanes (lane.h) have that among each other
 * already. Where a slot is common to tasks that nothing orders (strand.h), what was read
 * in it may be taken for ordered too soon: it stands for no task that has a slot of its
 * own.
 *
 * Context: a family is made and given up by the task whose children they are; the others
 * under the lock of their team. The calling thread is `inside`.
 */
#ifndef DH_RUNTIME_OPENMP_FAMILY_H
#define DH_RUNTIME_OPENMP_FAMILY_H

#include "runtime/kin.h"

struct dh_family {
	uint32_t refs;		      /* atomic: of its members and of who makes them */
	struct dh_kin of_own, of_all; /* those with slots of their own; and all */
};

/* The one at *place, made where there is none, with one more reference. */
struct dh_family *dh_family_join(struct dh_family **place);

/* Gives the reference at *place back, which may be NULL, and is afterwards. */
void dh_family_drop(struct dh_family **place);

/* A member has ended that stands for others: its time frames from the first to the last,
 * where they are of one slot. */
void dh_family_enter(struct dh_family *f, uint64_t first, uint64_t last, bool common);

/* Whose reads stand for those of a member; NULL where none does: there is no family, or
 * somebody knows what others have done without having waited for them (slots.h). */
const struct dh_kin *dh_family_kin(const struct dh_family *f, bool common);

#endif
