/* SPDX-License-Identifier: MIT */
/*
 * A thread as the runtime sees it, and the ground rules.
 *
 * Ground rules
 *   1. The hot part (struct dh_self) is thread-local storage, so that an entry point
 *      gets at it without a call. The rest hangs off it.
 *   2. The runtime uses its own memory, no libc function that the program could have
 *      interposed or could hold a lock of, and no stdio.
 *   3. `inside` is raised while the runtime works on this thread's state in a way that
 *      a signal handler must not interrupt. Handlers that arrive meanwhile are put off
 *      until it falls to zero (intercept/signal.c).
 *   4. A thread that is not being watched (before its start is known, while it ends,
 *      within an ignore region: `ignore` is raised; or alone: dh_lone) has a time frame of
 *      0 (`now`), which no record has: the fast path finds no repeat, and what follows
 *      returns at once.
 *
 * Clocks: vc[s] is what this thread knows of slot s; vc[own slot] is its own scalar.
 * Only the thread itself writes vc. `version` rises whenever vc changed other than in
 * its own entry, so that a lock can tell that it holds this thread's clock already.
 */
#ifndef DH_RUNTIME_THREAD_H
#define DH_RUNTIME_THREAD_H

#include "base/lock.h"
#include "context/context.h"
#include "runtime/lines.h"
#include "runtime/patience.h"
#include "runtime/shadow.h"
#include "runtime/thread_caches.h"

struct dh_self;
struct dh_clockset; /* a clock kept outside a thread: sync.h */
struct dh_sync;
struct dh_lock_log;
struct dh_calls;
struct dh_strand;
struct dh_observer;

enum {
	DH_HANDS_AT_HAND = 512, /* entries of the per-thread cache of hands */
	DH_HELD_MAX = 64, /* locks remembered for reports; more are counted */
	DH_NAME_MAX = 32,
	DH_SITES_LEAST = 1 << 9,  /* entries of the per-thread cache of sites, */
	DH_SITES_MOST = 1 << 15,  /* which grows where it misses much */
	DH_KNOWN_SETS = 256, /* entries of the per-thread cache of sets that it is in */
	DH_KNOWN_CELLS = 16, /* and of cells that it has a place in: known_sets.h */
	DH_PAST_SETS = 64,   /* sets that are remembered to be ordered, see dh_past_of() */
	DH_RECALLS = 32,     /* places whose last accesses are remembered: recall.h */
	DH_SET_MEMO = 1024,  /* entries of each of the per-thread caches of sets */
	DH_HANDLERS =
	    16,		 /* signal handlers at a time; more lose sight of the outermost */
	DH_LEARNED = 16, /* synchronisation objects whose state is remembered */
};

/* Do sets pay? (readers.c) */
struct dh_set_pay {
	uint32_t hits;	/* answers that the memo gave, */
	uint32_t makes; /* and sets that had to be made */
	uint32_t tries; /* to make one although they do not pay */
};

/* Accesses of some places of the program, to halves or pairs of bytes, that have got elders
 * (elders.h), those for which that was in vain, and those that have got none for that. */
enum { DH_ELDER_PAYS = 64, DH_ELDER_GRANULES = 1024 };
struct dh_elder_pay {
	uint16_t all, vain, without;
};

/* One frame of the shadow stack: the pc of the call, its node in the calling-context
 * tree once that has been asked for (0 before), and the low half of the stack pointer
 * of the function called: frames that were left without notice are known by it. */
struct dh_frame {
	uint64_t pc;
	uint32_t node;
	uint32_t sp;
};

/* A signal handler of the program that runs on the thread: what it interrupted. As long
 * as there is one, nothing that the fast paths read without being `inside` may change
 * under them: the thread's caches (sites, known, memo, learned) stay as they
 * are, and a shadow stack that grows leaves the old one in place. */
struct dh_handler {
	uint64_t ticket;
	struct dh_frame *frames; /* the shadow stack: where it was, */
	uint32_t depth, room;	 /* how deep, and with how much room */
	struct dh_frame next;	 /* beyond the top: may be in the making */
	uintptr_t at;		 /* its stack is below this */
	uintptr_t sp;		 /* stack pointer of what was interrupted */
	uintptr_t fault;	 /* what could not be accessed; DH_NO_FAULT */
};
#define DH_NO_FAULT UINTPTR_MAX

/* The thread has learned what this synchronisation object had after so many changes. */
struct dh_learned {
	const struct dh_sync *object;
	uint32_t changes;
	bool acquired; /* else it has only been put by: fence_acquire */
};

/* The number of this thread, or task, at a site, or 0: heap_hands.h. */
struct dh_hand_entry {
	uint32_t site, who, hand;
};

/* The time frame that the thread goes back to if it is the next to take the lock that it
 * has given back last (resume.h). */
struct dh_resume {
	uint64_t next;		      /* the epoch that began then; 0: there is none */
	uint64_t frame;		      /* the one that ended */
	uint64_t back;		      /* the one that was last gone back to */
	uintptr_t lock;
	const struct dh_sync *object; /* the lock's, */
	uint32_t changes;	      /* after so many changes */
	uint32_t held;		      /* how many other locks the thread held */
	uint32_t left;		      /* how often it may be gone back to */
};

struct dh_held {
	uintptr_t lock;
	uint32_t site;
	bool write;
	uint32_t entry; /* its place in the log (lock_log.h) */
};

/* What a record stands for. Tasks and regions of OpenMP (openmp/names.h) have one for
 * each place that makes them, for reports; a strand (openmp/strand.h) is what runs
 * tasks, one after the other, and is never shown. */
enum dh_thread_kind { DH_THREAD, DH_THREAD_STRAND, DH_THREAD_TASK, DH_THREAD_REGION };

/* Ids of records that are no threads begin here: threads are counted from 0. */
enum { DH_NO_THREADS = 1 << 23 };

/* A thread's record outlives the thread: reports on what it did need it. */
struct dh_thread_info {
	uint32_t id;	     /* 0 is the main thread; in the order of creation */
	enum dh_thread_kind kind;
	uint32_t number;     /* of DH_THREAD_REGION: within its team */
	uint32_t slot;	     /* its present slot */
	uint32_t parent;     /* id of the creator */
	uint32_t created_at; /* site of the creation */
	uint64_t os_id;
	uintptr_t stack_at;	/* an address of its stack, near the outer end */
	const uint32_t *vc;	/* its clock while it runs; under dh_threads_lock */
	const uint32_t *inside; /* see ground rule 3; likewise; NULL for a fiber */
	bool running;
	bool joined;  /* or detached: nobody will ask for its end */
	uint32_t ahead; /* of DH_THREAD_STRAND: clocks up to this may be in use; atomic */
	uint32_t fit;	/* of DH_THREAD_TASK, for openmp/lane.c; atomic */
	bool handled; /* its pthread_t has been entered (intercept/handles.h) */
	char name[DH_NAME_MAX];
	struct dh_clockset *clock; /* until it starts: its creator's; after its end: what
				      it knew, for who joins it; NULL else */
};

/* Cold parts of a thread's state. */
struct dh_thread_state {
	struct dh_thread_info *info;
	uint32_t who;	/* id of the record that reports show: info's, or a task's */
	uint32_t name;	/* of who publishes clocks: dh_thread_new_name() */
	bool common;	/* its slot has users that do not know each other: strand.h */
	struct dh_strand *in_lane; /* that runs, and must leave its slot with its time frame:
				    * openmp/lane.h; or NULL */
	uint32_t own_hands; /* the latest that is no task's: heap_hands.h; or 0 */
	struct dh_held held[DH_HELD_MAX];
	uint32_t held_count;
	uint32_t held_lost;	 /* locks held beyond DH_HELD_MAX */
	struct dh_frame *frames; /* shadow stack; frames[0] is the thread's start */
	size_t frame_room;
	struct dh_site_entry *sites; /* an allocation of its own, of */
	uint32_t site_room;	     /* so many entries, a power of two; and */
	uint32_t site_misses;	     /* look-ups that have not found theirs in it */
	struct dh_recall recalls[2][DH_RECALLS]; /* of reads, and of writes */
	struct dh_known_cell cells[DH_KNOWN_CELLS];
	struct dh_set_memo *memo, *write_memo; /* DH_SET_MEMO each; dh_no_memo until there
						* is something to note */
	uint64_t *blends; /* see blend.h */
	struct dh_set_pay read_sets, write_sets;
	dh_record past[DH_PAST_SETS];
	uint64_t past_turn; /* what these are mixed with, so that they can be forgotten */
	struct dh_clockset *fence_release; /* clock at the last release fence, or NULL */
	struct dh_clockset *fence_acquire; /* what relaxed loads saw since the last
					      acquire fence, or NULL */
	bool made_up; /* see dh_edge_fence() */
	struct dh_learned learned[DH_LEARNED]; /* see glance.h */
	uint32_t version;
	struct dh_handler handlers[DH_HANDLERS]; /* the innermost is the last */
	uint32_t handler_count;
	uint32_t handler_tickets;
	void (*on_entry)(struct dh_self *t); /* or NULL: dh_thread_on_entry() */
	void *fiber;		/* the fiber that runs, where the program switches */
	uint64_t slow_accesses; /* statistics */
	struct dh_patience at_locks;   /* intercept/linger.c */
	struct dh_patience giving_way; /* give_way.c */
	struct dh_patience at_barriers; /* intercept/barrier.c */
	struct dh_lock_log *lock_log; /* its slot's, once there is one: lock_log.h */
	struct dh_calls *calls; /* of missing methods, once there was one: missing/calls.h */
	void *observed; /* what an engine keeps of it: observer.h; its end frees it */
	struct dh_resume resume;
	struct dh_race_facts *held_back; /* faults.h; or NULL */
	bool told; /* others of what it did, but tasks that it has made: openmp/family.h */
	struct dh_known_set known[DH_KNOWN_SETS];
	struct dh_set_pay atomic_sets; /* as write_sets, of atomic writes beside each other */
	struct dh_set_pay write_blends; /* the same of blends (blend.h) of writes */
	/* Likewise: granules that were split for reads of their parts, and those that had to
	 * be split further for a read. */
	struct dh_set_pay part_reads;
	struct dh_elder_pay elders[DH_ELDER_PAYS];
	uint32_t elder_granules[DH_ELDER_GRANULES]; /* see elders.h */
	struct dh_hand_entry hands[DH_HANDS_AT_HAND];
};
#define DH_STATE_AT(field, offset)                                                       \
	_Static_assert(__builtin_offsetof(struct dh_thread_state, field) == (offset),    \
		       "programs have it built in: change DH_HOT_LAYOUT (hot.h) with it")
DH_STATE_AT(memo, 6096);
DH_STATE_AT(known, 8120);
DH_STATE_AT(elder_granules, 12636);
#undef DH_STATE_AT

/* What makes a time frame more than the continuation of the last one. */
enum dh_dirty {
	DH_DIRTY_RECORD = 1, /* the shadow has a record of it */
	DH_DIRTY_NEWS = 2,   /* what the thread knows has not been published yet */
};

/* In dh_self.recent: nothing. No cell holds it. */
#define DH_RECENT_NONE DH_ATOMIC_FLAG

/* The hot part. */
struct dh_self {
	uint64_t now;		/* the epoch while the thread is watched, else 0 */
	uint64_t simply; /* the same where accesses end on the cells: fasttrack is in force, or
			  * another engine lets them (racetrack/direct.h); else 0 */
	uint64_t recent; /* what was met last that has, or stands for, a read of this frame: a
			  * set's key, or the like of one of the task's kin (kin.h) */
	struct dh_site_entry *sites; /* cache, in the state; NULL where there is none, */
	uint64_t sites_mask;	     /* and the bits of an offset in it */
	uint32_t *vc;		/* by slot; NULL: not attached yet */
	struct dh_frame *top;	/* the innermost frame of the shadow stack */
	struct dh_frame *limit; /* one past the last place */
	uint32_t ignore;	/* accesses are not watched while > 0 */
	uint32_t ignore_sync;
	uint32_t inside; /* see ground rule 3 */
	uint8_t dirty;	 /* enum dh_dirty; 0: nothing happened in this time frame */
	bool sole;	 /* atomic: there has been no other thread so far, if other tasks */
	int8_t firsts;	 /* accesses that were no repeats, up to DH_FIRSTS_MANY: recall.h */
	struct dh_thread_state *state;
	uint64_t epoch; /* of this time frame, in place (record.h) */
	uint64_t alike; /* of a task in a lane (openmp/lane.h): in what bits its epoch and
			 * those of the others differ. What one of them has read stands
			 * for its own reads. Else 0 */
	struct dh_lines lines; /* for engines other than fasttrack */
	struct dh_known_set *known; /* DH_KNOWN_SETS, in the state; or dh_none_known */
	const struct dh_kin *kin;   /* of a task: whose reads stand for its own; or NULL */
	/* The cells of the small heap block that it was given last, until it publishes its clock:
	 * nobody else can know of the block. */
	uintptr_t fresh;
	size_t fresh_bytes;
};

extern DH_HOT_VISIBLE __thread struct dh_self dh_self DH_SHARED("self")
    __attribute__((tls_model("initial-exec")));
extern struct dh_context_tree *dh_contexts;

/* The calling thread's hot part; attaches it where it is not known yet (a thread made
 * behind our back). */
DH_INLINE struct dh_self *dh_thread_self(void)
{
	return &dh_self;
}

/* The same, kept in a register: for functions that look at many parts of it. */
DH_INLINE struct dh_self *dh_thread_base(void)
{
	struct dh_self *t = &dh_self;
	__asm__("" : "+r"(t));
	return t;
}

/* ---- life and death ---- */

/* Once, before anything else: attaches the main thread. */
void dh_threads_init(void);

/* In the creator: a record for a thread to be. site is where. The creator's clock is
 * published to it. */
struct dh_thread_info *dh_thread_create(uint32_t site);

/* In the new thread, first of all. NULL for one whose creation was not seen. */
void dh_thread_attach(struct dh_thread_info *info);

/* A thread that is not attached has entered a function of the program. Attaches it if it
 * was made behind our back (the C library makes threads for timers and the like, without
 * a call that could be seen); since nobody knows what it comes after, it comes after
 * all that any thread has done so far. False for one that has ended. NULL before
 * start-up (intercept/lifetime.c). */
extern bool (*dh_thread_adopt)(struct dh_self *t);

/* Ends the calls of missing methods that a thread is in, at its end. NULL until there was
 * one (missing/calls.c). */
extern void (*dh_thread_end_calls)(struct dh_self *t);

/* Nobody will use the hands of a thread any more, at its end. NULL until there was one
 * (heap_hands.c). */
extern void (*dh_thread_end_hands)(struct dh_self *t);

/* The next time frame of a thread that is in a lane (openmp/lane.h) is in another slot.
 * NULL until there was one. */
extern void (*dh_thread_leave_lane)(struct dh_self *t);

/* All that any thread has done so far comes before what this one does. */
void dh_thread_know_all(struct dh_self *t);

/* In the thread, last of all: leaves its clock for who joins it. True where nobody
 * will. */
bool dh_thread_detach_self(void);

/* The calling thread has joined another. */
void dh_thread_joined(struct dh_thread_info *info);

/* The calling thread has found another dead, which may still be joined. */
void dh_thread_seen_dead(const struct dh_thread_info *info);

/* Nobody will join it. True where it has ended already. */
bool dh_thread_forget(struct dh_thread_info *info);

/* A record that is no thread's, and runs nothing by itself. */
struct dh_thread_info *dh_thread_record(enum dh_thread_kind kind, uint32_t site);

/* A number that no other has, not 0. As long as a thread goes by one name, what it knows
 * becomes only more. */
uint32_t dh_thread_new_name(void);

/* A creation that failed. */
void dh_thread_abandon(struct dh_thread_info *info);

/* After a fork, in the child: only the calling thread is left. */
void dh_threads_after_fork(void);

/* The thread that used a slot when its clock was this; NULL where unknown. */
struct dh_thread_info *dh_thread_by_epoch(uint32_t slot, uint32_t clock);
struct dh_thread_info *dh_thread_by_id(uint32_t id);

/* How many slots have ever been in use: clocks need to be no longer. */
extern uint32_t dh_slot_count; /* atomic */

struct dh_threads_stats {
	uint64_t created, live, peak, slots_reused, slots_shared, slots_renewed,
	    unwatched;
};
void dh_threads_get_stats(struct dh_threads_stats *s);

/* ---- time frames ---- */

/* Ends the time frame, after the clock was published. Cheap where nothing was recorded
 * in it: then the frame goes on. */
void dh_thread_tick_slow(struct dh_self *t);

DH_INLINE void dh_thread_tick(struct dh_self *t)
{
	t->state->resume.next = 0;
	t->state->told = true;
	t->fresh_bytes = 0;
	if (t->dirty)
		dh_thread_tick_slow(t);
}

/* The same where it was published to a task that the thread's own has made. */
DH_INLINE void dh_thread_tick_for_task(struct dh_self *t)
{
	const bool told = t->state->told;
	dh_thread_tick(t);
	t->state->told = told;
}

/* Is it a time frame that the thread has gone back to (resume.h)? */
DH_INLINE bool dh_has_resumed(const struct dh_self *t)
{
	return t->epoch == t->state->resume.back;
}

/* ---- sets of records ---- */

/* What a thread has for a memo that has noted nothing yet: finds nothing, and is never
 * written to. */
extern struct dh_set_memo dh_no_memo[DH_SET_MEMO];

/* What a thread without state knows: nothing, for good. */
extern struct dh_known_set dh_none_known[DH_KNOWN_SETS];

/* Where the thread notes that it is in this set, if it does; by its key (sets.h). */
DH_INLINE const struct dh_known_set *dh_known_of(const struct dh_self *t, dh_record key)
{
	const size_t offset = (DH_KNOWN_SETS - 1) * sizeof t->known[0]; /* its bits */
	return (struct dh_known_set *)((char *)t->known + ((key >> 18 ^ key >> 30) & offset));
}

/* Where the thread notes that all records of this set are ordered before its present: for
 * good, since sets do not change. It is noted if the place has dh_past_key(). */
DH_INLINE dh_record *dh_past_of(const struct dh_self *t, dh_record key)
{
	return &t->state->past[(key >> 22 ^ key >> 34) % DH_PAST_SETS];
}

DH_INLINE dh_record dh_past_key(const struct dh_self *t, dh_record key)
{
	return key ^ t->state->past_turn;
}

/* What follows has another past. */
void dh_past_forget(struct dh_thread_state *s);

/* ---- stacks ---- */

DH_INLINE struct dh_site_entry *dh_site_entry_of(struct dh_self *t, uint32_t node,
						 uint64_t pc)
{
	/* A large factor: places in a function are near each other, as nodes are. */
	uint32_t mixed = ((uint32_t)pc + node * 0x85ebca6bu) * 0x9e3779b1u;
	return (struct dh_site_entry *)((char *)t->sites + (mixed >> 13 & t->sites_mask));
}

_Static_assert(sizeof(struct dh_site_entry) * DH_SITES_MOST <= 1 << 19,
	       "an offset has the upper 19 bits");

/* A cache of sites with room for so many. Its pages are there before anybody looks at
 * them, as those of the shadow are (warm.h). */
struct dh_site_entry *dh_sites_cache(uint32_t room);

/* What the cache of sites has for these two; 0 where nothing. What a signal handler may
 * overwrite is read before what proves it. */
DH_INLINE uint32_t dh_cached(struct dh_self *t, uint32_t node, uint64_t pc)
{
	const struct dh_site_entry *e = dh_site_entry_of(t, node, pc);
	uint32_t site = e->site;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (e->pc != pc || e->node != node) /* no entry is for node 0 */
		return 0;
	if (!site) /* nor does one have none */
		__builtin_unreachable();
	return site;
}

/* The thread uses the caches of its state. */
DH_INLINE void dh_thread_use_caches(struct dh_self *t)
{
	struct dh_thread_state *s = t->state;
	t->known = s ? s->known : dh_none_known;
	t->sites = s ? s->sites : NULL;
	t->sites_mask = s ? (s->site_room - 1) * sizeof *s->sites : 0;
}

/* The site of pc in the present context. The thread is `inside`. */
uint32_t dh_thread_site(struct dh_self *t, uint64_t pc);

/* The same where the thread need not be `inside`, and where it is not at hand: for the
 * fast path. 0 where another engine is in force: what the fast path does not take for a
 * repeat is then for the slow one (observer.h). */
DH_HOT_VISIBLE uint32_t dh_thread_look_up(struct dh_self *t, uint64_t pc)
    DH_SHARED("site");

/* Makes room for more frames first. Nothing where the thread is not attached. */
DH_HOT_VISIBLE void dh_thread_enter_slow(struct dh_self *t, uint64_t pc, uint32_t sp)
    DH_SHARED("enter");

/* The next function that this thread enters, other than in a signal handler, calls this
 * first; NULL: none does any more. The thread has state. */
void dh_thread_on_entry(struct dh_self *t, void (*call)(struct dh_self *t));

/* The frames of functions that were called with the stack pointer below sp, on the stack
 * that the innermost signal handler runs on, have been left. */
void dh_thread_left_below(struct dh_self *t, uintptr_t sp);

/* A handler of the program begins on a thread that is attached, in a function whose frame
 * is at `at`, and ends by returning: with the ticket that it got. One that ends by a jump
 * is dealt with by dh_thread_left_below(). */
uint64_t dh_handler_begin(struct dh_self *t, uintptr_t at, uintptr_t interrupted_sp,
			  uintptr_t fault);

/* Called for a handler of a fault that ends by a jump: dh_fault_left(), where there are
 * handlers. */
extern void (*dh_handler_left_fault)(struct dh_self *t, uintptr_t address);
void dh_handler_end(struct dh_self *t, uint64_t ticket);

/* The innermost handler has been left for good, and with it what it interrupted. The
 * thread is `inside`. */
void dh_handler_abandon(struct dh_self *t);

/* Inlined into an entry point: sp is that of the entry point's caller. Without state,
 * top and limit are NULL. */
DH_INLINE void dh_thread_enter(struct dh_self *t, uint64_t pc)
{
	struct dh_frame *f = t->top + 1;
	uintptr_t sp = (uintptr_t)__builtin_dwarf_cfa();
	__asm__("" : "+r"(sp)); /* else gcc halves it in memory */
	if (DH_UNLIKELY(f >= t->limit)) {
		dh_thread_enter_slow(t, pc, (uint32_t)sp);
		return;
	}
	f->pc = pc;
	f->node = 0;
	f->sp = (uint32_t)sp;
	__atomic_signal_fence(__ATOMIC_SEQ_CST); /* a handler keeps it for us */
	t->top = f;
}

DH_INLINE void dh_thread_exit(struct dh_self *t)
{
	if (DH_LIKELY(t->top > t->state->frames))
		t->top--;
}

/* ---- not watching ---- */

void dh_ignore_begin(struct dh_self *t);
void dh_ignore_end(struct dh_self *t);

/* The engine in force; NULL: fasttrack. Fixed at start-up (observer.h). */
extern const struct dh_observer *dh_observer;

/* The only thread that there has been so far, or NULL. All that it does comes before
 * whatever a second one will do, so it is not watched until then, and the shadow is not
 * used. What it publishes and learns, and its stack, are as ever. */
extern struct dh_self *dh_lone; /* atomic */

/* The calling thread is that one. fasttrack only. */
void dh_thread_alone(void);

/* From now on it is not: before there is another thread, fiber, or task. By that one, where
 * it came unseen. */
void dh_thread_not_alone(void);

/* The calling thread is the only one so far, watched or not; until another is made, or
 * comes unseen (dh_self.sole). */
void dh_thread_sole(void);

/* After `epoch` or `ignore` have changed, or who is alone. */
DH_INLINE void dh_thread_look(struct dh_self *t)
{
	const bool alone = __atomic_load_n(&dh_lone, __ATOMIC_RELAXED) == t;
	t->now = t->ignore || alone ? 0 : t->epoch;
	t->simply = dh_observer ? 0 : t->now;
	t->recent = DH_RECENT_NONE;
	t->firsts = 0;
	t->lines.turn += DH_TURN;
}

/* ---- locks held, for reports ---- */

void dh_held_add(struct dh_self *t, uintptr_t lock, bool write, uint64_t pc);
void dh_held_again(struct dh_self *t, uintptr_t lock, bool write, uint64_t pc); /* resume.h */
void dh_held_remove(struct dh_self *t, uintptr_t lock);

/* ---- ground rule 3 ---- */

/* Called when `inside` falls to zero with signals put off. */
extern void (*dh_signals_waiting)(struct dh_self *t);
extern __thread uint32_t dh_signals_pending __attribute__((tls_model("initial-exec")));

/* Raised while a thread forks (stop.h): the others wait before they get inside. */
extern uint32_t dh_stopping; /* atomic */
void dh_stop_here(struct dh_self *t);

DH_INLINE void dh_enter_runtime(struct dh_self *t)
{
	t->inside++;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (DH_UNLIKELY(__atomic_load_n(&dh_stopping, __ATOMIC_RELAXED)) &&
	    t->inside == 1)
		dh_stop_here(t);
}

DH_INLINE void dh_leave_runtime(struct dh_self *t)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	t->inside--;
	/* A signal put off just before is seen by what follows. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (DH_UNLIKELY(dh_signals_pending != 0) && t->inside == 0)
		dh_signals_waiting(t);
}

#endif
