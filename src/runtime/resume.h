/* SPDX-License-Identifier: MIT */
/*
 * Going back to an earlier time frame. A thread's frame ends when it gives a lock back,
 * because whoever takes the lock next comes after what was recorded until then, and not
 * after what follows. Where the thread itself is the next to take it, nobody has learned
 * of that end, and nobody will: what the lock has of it the thread replaces when it gives
 * the lock back again. So the thread goes on in the frame that had ended, and what it did
 * in it before is a repeat.
 *
 * That holds if
 *   - nobody has released the lock since. Then nobody has held it, or in read mode nobody
 *     but readers, who learn nothing of each other;
 *   - the thread has published its clock nowhere else since;
 *   - others learn from the lock only by taking it, and not while the thread holds it: so
 *     it is for mutexes, spin locks, and reader-writer locks in read mode, and not for
 *     atomics or semaphores;
 *   - nobody reads the clocks of running threads (dh_slots_vague).
 * Records of the frame that the thread comes from are later by their number and equal in
 * all else: who knows one of the two frames knows both.
 *
 * The locks held are the same as at the end of the frame, or it is not gone back to; who
 * takes another one in it leaves it for a fresh one (dh_held_add()). So the log of locks
 * (lock_log.h) is as sure of a frame as if it had lasted.
 *
 * fasttrack only: other engines have clocks of their own, or follow every event. Not for
 * tasks in lanes (openmp/lane.h), whose frames end by leaving their slot.
 *
 * Context: the calling thread, not `inside`, in signal handlers too.
 */
#ifndef DH_RUNTIME_RESUME_H
#define DH_RUNTIME_RESUME_H

#include "runtime/sync.h"

/* The thread has published its clock in the lock s, which it is about to give back and
 * which has had so many changes then, and its frame, `ended`, is over. It still counts
 * the lock as held. The thread is `inside`. */
void dh_resume_note(struct dh_self *t, const struct dh_sync *s, uint32_t changes,
		    uint64_t ended);

/* The long way of dh_resume(). */
bool dh_resume_at(struct dh_self *t, bool write, uint64_t pc);

/* The thread has taken a lock. True: it has gone back, and counts the lock as held, and
 * there is nothing to learn. False: nothing was done. */
DH_INLINE bool dh_resume(struct dh_self *t, uintptr_t lock, bool write, uint64_t pc)
{
	return t->epoch == t->state->resume.next && t->state->resume.lock == lock &&
	       dh_resume_at(t, write, pc);
}

#endif
