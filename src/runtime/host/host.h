/* SPDX-License-Identifier: MIT */
/*
 * The host: runs an engine of src/engines, as `deadheat analyze` does over a trace,
 * inside the running program. What the program does (observer.h) becomes events, which go
 * to one stream (event/stream.h) under one lock. The order in which they get it is the
 * order of the stream: since a releasing step is told before it is done and an acquiring
 * one after, it is one in which the run can have happened.
 *
 * Glossary
 *   guest     a thread of the program, as the host knows it
 *   frame     what a guest does between two steps of synchronisation, of either kind
 *   era       raised where something beside a guest's own steps ends its frame
 *   repeat    an access of a kind, to bytes, that the guest has made in this frame
 *   block     bytes of a granule that are one variable (vars.h)
 *   object    a lock, message, volatile or barrier (objects.h)
 *
 * Repeats are known without the lock (repeats.h) and go no further, unless another filter
 * was asked for: that is MultiRace's log of first accesses.
 *
 * Context: as the hooks of observer.h. Allocates.
 */
#ifndef DH_RUNTIME_HOST_HOST_H
#define DH_RUNTIME_HOST_HOST_H

#include "event/stream.h"
#include "runtime/host/objects.h"
#include "runtime/host/repeats.h"
#include "runtime/host/vars.h"
#include "runtime/observer.h"

/* What may end a repeat, by what the engine makes of an access that is like an earlier
 * one of its thread's frame, with the same locks held. */
enum dh_repeats_rule {
	DH_REPEATS_FRAME, /* nothing, whatever others did in between */
	DH_REPEATS_OWNER, /* something, if the first was made while the thread was alone
			     with the variable and another has come since */
	DH_REPEATS_LAST,  /* something, if it is not the variable's last access */
};

struct dh_hold {
	uint32_t lock;
	uint32_t times;
	bool write;
};

/* Memory for which detection is suspended or off. */
struct dh_exempt {
	uintptr_t start;
	size_t size;
	bool off;
};

struct dh_guest {
	uint32_t id;
	struct dh_guest *next, *prev; /* all that have started and not ended */
	struct dh_vec(struct dh_hold) held;
	uint32_t reading; /* locks held in read mode: its reads and writes are then judged
			     by different ones */
	struct dh_vec(uintptr_t) loaded; /* locations read relaxed since the last acquire
					    fence */
	uint32_t fences;	 /* the message of its release fences + 1; 0: none */
	uint32_t suspended, off; /* for this thread, so often */
	struct dh_vec(struct dh_exempt) exempt;
	struct dh_repeats repeats;
	struct dh_received received[DH_RECEIVED];
};

/* A race, and where its variable is; what is told of it, once the lock is free. */
struct dh_host_race {
	struct dh_race race;
	uintptr_t address;
	unsigned size;
	bool freeing; /* the second access is a free */
	bool coarse;  /* the variable is a unit, or a word */
	bool suspended;
};

struct dh_host {
	struct dh_lock lock; /* protects all below, but for era, which others may read */
	struct dh_stream *stream;
	struct dh_engine *engine;
	enum dh_repeats_rule rule;
	bool repeats; /* are kept back */
	bool freeing; /* what is written now is freed */
	bool lenient; /* what is accessed now is so while detection is suspended */
	uint32_t suspended, off; /* for all threads, so often; atomic */
	uint64_t next;		 /* index of the next event */
	struct dh_guest *guests;
	struct dh_vars vars;
	struct dh_objects objects;
	uint32_t era;				  /* atomic */
	struct dh_vec(struct dh_host_race) races; /* found since the lock was taken */
	uint64_t repeats_kept_back;		  /* by guests that have ended */
	uint64_t releases_forced;
};

extern struct dh_host dh_host;

/* The guest of a thread that has state; made when first asked for. Takes the lock then.
 */
struct dh_guest *dh_guest_of(struct dh_self *t);

/* The thread has ended. The lock is held. */
void dh_guest_free(struct dh_guest *g);

/* Takes the lock; gives it back, and then reports what was found meanwhile. */
void dh_host_enter(void);
void dh_host_leave(struct dh_self *t);

/* The next event, of the guest with this id. The lock is held. */
void dh_host_feed(uint32_t id, enum dh_op op, uint32_t target, uint32_t site);

/* The frames of all guests end. The lock is held. */
void dh_host_next_era(void);

/* ---- the hooks, by file ---- */

/* access.c */
void dh_host_access(struct dh_self *t, uintptr_t addr, size_t size, unsigned flags,
		    uint64_t pc);
void dh_host_alloc(struct dh_self *t, uintptr_t base, size_t size, uint32_t site);
void dh_host_free(struct dh_self *t, uintptr_t base, size_t size, uint32_t site,
		  uint64_t pc);
void dh_host_fresh(uintptr_t addr, size_t size);
void dh_host_forget(uintptr_t addr, size_t size);

void dh_host_unit(struct dh_self *t, uintptr_t addr, size_t size, size_t unit);

/* detect.c: annotations, and what they mean for an access. */
void dh_host_detect(struct dh_self *t, unsigned how, uintptr_t addr, size_t size);
enum dh_detection { DH_DETECTS, DH_DETECTS_LENIENTLY, DH_DETECTS_NOTHING };
enum dh_detection dh_guest_detects(const struct dh_guest *g, uintptr_t addr, size_t size);

/* steps.c */
void dh_host_sync(struct dh_self *t, enum dh_observed what, uintptr_t object,
		  uint64_t pc);
void dh_host_forked(struct dh_self *t);

/* atomics.c */
void dh_host_atomic(struct dh_self *t, enum dh_observed_atomic what, uintptr_t addr,
		    unsigned size, int order, uint64_t pc);
void dh_host_fence(struct dh_guest *g, int order);

#endif
