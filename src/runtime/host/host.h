/* SPDX-License-Identifier: MIT */
/*
 * The host: runs an engine of src/engines, as `deadheat analyze` does over a trace,
 * inside the running program. What the program does (observer.h) becomes events, which go
 * to one stream (event/stream.h). With most engines that is under one lock, and the order
 * in which threads get it is the order of the stream: since a releasing step is told
 * before it is done and an acquiring one after, it is one in which the run can have
 * happened. With an engine that several threads may use at once (goldilocks), accesses to
 * known variables and steps on known objects are told side by side (gate.h): two accesses
 * to one variable one after the other, a step before or after it is done as ever.
 *
 * Glossary
 *   guest     a thread of the program, as the host knows it
 *   frame     what a guest does between two steps of synchronisation, of either kind
 *   era       raised where something beside a guest's own steps ends its frame
 *   repeat    an access of a kind, to bytes, that the guest has made in this frame
 *   block     bytes of a granule that are one variable (vars.h)
 *   object    a lock, message, volatile or barrier (objects.h)
 *   alone     with the host's lock held, while nobody is in the gate
 *
 * Repeats are known without the lock (repeats.h) and go no further, unless another filter
 * was asked for: that is MultiRace's log of first accesses.
 *
 * Context: as the hooks of observer.h. Allocates.
 */
#ifndef DH_RUNTIME_HOST_HOST_H
#define DH_RUNTIME_HOST_HOST_H

#include "event/stream.h"
#include "runtime/host/gate.h"
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

/* A race, and where its variable is; what is told of it, once the lock is free. */
struct dh_host_race {
	struct dh_race race;
	uintptr_t address;
	unsigned size;
	bool freeing; /* the second access is a free */
	bool coarse;  /* the variable is a unit, or a word */
	bool suspended;
};

struct dh_host_races dh_vec(struct dh_host_race);

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
	uint32_t shares;	 /* it is in the gate; atomic */
	bool listed;		 /* as a visitor; */
	struct dh_guest *beside; /* the next one there */
	uint64_t events;	 /* told so far in the gate */
	struct dh_var_near near;
	bool freeing; /* what it writes now is freed */
	bool lenient; /* what it accesses now is so while detection is suspended */
	struct dh_host_races races; /* found in the gate, not yet told */
};

struct dh_host {
	struct dh_lock lock; /* protects all below, but for what is said to be atomic; who
				is in the gate may read it as well */
	uint32_t alone;	     /* the gate is closed; atomic */
	uint32_t resting;    /* so often is the gate found shut; atomic */
	bool shared;	     /* the gate is in use */
	struct dh_guest *visitors; /* who may be in the gate; atomic */
	struct dh_stream *stream;
	struct dh_engine *engine;
	enum dh_repeats_rule rule;
	bool repeats;		 /* are kept back */
	uint32_t suspended, off; /* for all threads, so often; atomic */
	uint64_t next;		 /* index of the next event */
	struct dh_guest *guests;
	struct dh_vars vars;
	struct dh_objects objects;
	uint32_t era;		    /* atomic */
	struct dh_host_races races; /* found by one who is alone */
	uint64_t repeats_kept_back; /* by guests that have ended */
	uint64_t events_shared;	    /* likewise */
	uint64_t releases_forced;
};

extern struct dh_host dh_host;

/* The guest of a thread that has state; made when first asked for. Takes the lock then.
 */
struct dh_guest *dh_guest_of(struct dh_self *t);

/* The thread has ended. Alone. */
void dh_guest_free(struct dh_guest *g);

/* To be alone, and no longer; then what was found meanwhile is reported. */
void dh_host_enter(void);
void dh_host_leave(struct dh_self *t);

/* Into the gate, and out of it; the same. False where the host is for one at a time, at
 * present or at all. */
bool dh_host_share(struct dh_guest *g);
void dh_host_unshare(struct dh_self *t, struct dh_guest *g);

/* The same after a step: what the engine then has to do alone is done. */
void dh_host_unshare_step(struct dh_self *t, struct dh_guest *g);

/* The next event, of the guest with this id. Alone. */
void dh_host_feed(uint32_t id, enum dh_op op, uint32_t target, uint32_t site);

/* The next step of the guest, alone or in the gate; where it cannot be told there nothing
 * is done, and the answer is false. For one that learns from an object that there is,
 * false means that there is nothing to learn. */
bool dh_host_step(struct dh_guest *g, enum dh_op op, uint32_t target, uint32_t site,
		  bool alone);

/* The next access, in the gate; false as above. */
bool dh_host_touch(struct dh_guest *g, uint32_t var, bool write, uint32_t site);

/* The number of an object; alone, a new one where there is none, else false. */
bool dh_host_number(enum dh_name_kind kind, uintptr_t addr, bool alone, uint32_t *number);

/* The frames of all guests end. Alone. */
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
