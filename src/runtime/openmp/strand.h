/* SPDX-License-Identifier: MIT */
/*
 * Strands: what runs explicit tasks, one after the other. A strand has a slot, a clock
 * and the rest of what makes a flow of control a thread to the detector (thread.h), but
 * no stack: it runs on that of the thread that has taken it up, with its caches and its
 * shadow stack. So to begin a task is to change a few words, and, where its creator has
 * learned something since the last one, to copy a clock.
 *
 * Whose slot may be used again
 *   exact   by a task whose creator knew the last one's end when it made the task, or
 *           that depends on the last one. Then "known up to c" means the same for both,
 *           as with threads (slots.h).
 *   common  by any. Two tasks that nothing orders then have one slot if they are far
 *           enough apart (DH_STRANDS_COMMON tasks began in between), and a race between
 *           just these two is not seen; none is made up. What is published in such a slot
 *           carries no origin (clockset.c), and each task has a name of its own.
 *   in a lane  by tasks that are alike, all told apart (lane.h).
 * Exact ones come first. In a tree of tasks hardly any knows the end of another when it
 * is made, so that they would soon be used up; the later ones of them are kept for tasks
 * near the root, which are few, and whose races are those of all that is below them. When
 * all are busy (tasks within tasks, hundreds deep) there is none, and the task runs in
 * the flow that it interrupts: counted.
 *
 * Concurrency: any thread; one lock inside. The calling thread is `inside`.
 */
#ifndef DH_RUNTIME_OPENMP_STRAND_H
#define DH_RUNTIME_OPENMP_STRAND_H

#include "runtime/openmp/lane.h"
#include "runtime/sync.h"

/* Clocks, and cells that very many have read (readers.c), get longer with each slot that
 * has ever been used: no more than pay. */
enum { DH_STRANDS_EXACT = 256, DH_STRANDS_COMMON = 128 };

/* A clock as it was, shared by all that begin with it or learn it. */
struct dh_moment {
	uint32_t refs; /* atomic */
	uint32_t name, version;
	uint32_t len;
	uint32_t at[];
};

/* The calling thread's. After its clock was taken its time frame must end, as with
 * dh_clockset_assign(). One reference. */
struct dh_moment *dh_moment_now(const struct dh_self *t);

/* The last one taken by this flow, *kept, with one more reference, where nothing was
 * learned since but of itself; else a new one, which is kept. */
struct dh_moment *dh_moment_again(struct dh_moment **kept, const struct dh_self *t);

void dh_moment_drop(struct dh_moment *m); /* NULL is passed over */
void dh_moment_learn(struct dh_self *t, const struct dh_moment *m);

/* What a task begins with: a moment, in which its creator's own clock is this. */
struct dh_start {
	struct dh_moment *moment;
	uint32_t slot, clock;
};

/* What a task that begins with this knows of a slot. */
uint32_t dh_start_knows(const struct dh_start *start, uint32_t slot);

/* The contents of struct dh_self that belong to a flow, while another one runs. */
struct dh_flow {
	uint64_t epoch;
	uint32_t *vc;
	uint32_t ignore, ignore_sync;
	struct dh_thread_info *info;
	uint32_t who, name, version;
	uint8_t dirty;
	bool common;
	struct dh_clockset *fence_release, *fence_acquire;
	struct dh_lock_log *lock_log;
	struct dh_held *held; /* NULL where held_count is 0 */
	uint32_t held_count, held_lost;
	void *observed;
	struct dh_strand *in_lane; /* see struct dh_thread_state */
	bool told;		   /* likewise */
	const struct dh_kin *kin;  /* see struct dh_self */
};

void dh_flow_save(struct dh_flow *f, struct dh_self *t);
void dh_flow_load(struct dh_flow *f, struct dh_self *t);

struct dh_strand {
	struct dh_strand *older, *newer; /* while it rests in the pool */
	struct dh_strand *next;		 /* of all */
	struct dh_flow flow;		 /* while it does not run */
	uint32_t last;			 /* while it rests: the last clock used */
	uint32_t len;			 /* entries of its clock that may not be 0 */
	struct dh_moment *base;		 /* what its clock was made of */
	uint32_t based;			 /* its version then */
	uint32_t first, depth;		 /* of the task that runs: clock, depth */
	uint64_t begun;			 /* tasks; atomic */
	bool seen;			 /* engines know it */
	bool resting;			 /* it is in the pool */
	struct dh_lane lane;
};

/* A task that is about to run. */
struct dh_strand_task {
	const struct dh_start *start;  /* what it begins with */
	uint32_t depth;		       /* how many tasks it comes from */
	uint32_t who;		       /* what it is called */
	uint32_t host;		       /* the calling thread's own id */
	const struct dh_lane_key *key; /* of the lane that it may be in, or NULL */
	struct dh_strand *claimed;     /* dh_strand_claim(), or NULL */
};

/* Takes the strand out of the pool for a task that comes after what is in the moment: if
 * it rests, and that has the end of the last task in it. */
bool dh_strand_claim(struct dh_strand *s, const struct dh_moment *m);

/* The calling thread, which has saved its flow, runs it. NULL: no strand is free. */
struct dh_strand *dh_strand_begin(struct dh_self *t, const struct dh_strand_task *task);

/* Has the task that runs learned anything since it began? */
bool dh_strand_has_learned(const struct dh_strand *s, const struct dh_self *t);

/* Does who waits for the task that runs know of its end already, by the lane? */
bool dh_strand_told(const struct dh_strand *s, const struct dh_self *t);

/* The task that runs has ended; its clock has been published. The thread loads another
 * flow next. */
void dh_strand_end(struct dh_strand *s, struct dh_self *t);

/* The calling thread runs no more tasks of this region. */
void dh_strands_rest(void);

/* In the child of a fork, before dh_threads_after_fork(): the slots of strands that rest
 * are given away there. */
void dh_strands_after_fork(void);

struct dh_strands_stats {
	uint64_t begun, reused, common, refused;
};
void dh_strands_get_stats(struct dh_strands_stats *s);

#endif
