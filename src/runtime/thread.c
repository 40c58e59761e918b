/* SPDX-License-Identifier: MIT */
/*
 * Threads: attaching and detaching, time frames, stacks; see thread.h. Slots are in
 * slots.c.
 */
#include "runtime/thread.h"
#include "base/kernel.h"
#include "base/mem.h"
#include "base/stable.h"
#include "base/sys.h"
#include "runtime/access.h"
#include "runtime/blend.h"
#include "runtime/lock_log.h"
#include "runtime/observer.h"
#include "runtime/slots.h"
#include "runtime/stop.h"
#include "runtime/sync.h"

struct dh_known_set dh_none_known[DH_KNOWN_SETS];
__thread struct dh_self dh_self __attribute__((tls_model("initial-exec"))) = {
    .known = dh_none_known,
};
__thread uint32_t dh_signals_pending __attribute__((tls_model("initial-exec")));
void (*dh_signals_waiting)(struct dh_self *t);
bool (*dh_thread_adopt)(struct dh_self *t);
void (*dh_thread_end_calls)(struct dh_self *t);
void (*dh_thread_end_hands)(struct dh_self *t);
void (*dh_thread_leave_lane)(struct dh_self *t);
struct dh_context_tree *dh_contexts;

enum {
	FIRST_FRAMES = 256,
};

/* Of struct dh_thread_info *, by id, and by id - DH_NO_THREADS. */
static struct dh_stable infos, others;
static uint32_t created, recorded; /* atomic */
static uint32_t named;		   /* atomic */
static uint32_t live, peak;    /* atomic */
static uint64_t unwatched;     /* atomic */

/* ---- records of threads ---- */

static struct dh_thread_info *info_put(struct dh_stable *in, uint32_t *count,
				       uint32_t first)
{
	struct dh_thread_info *info = dh_mem_alloc(sizeof *info);
	uint32_t n = __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
	info->id = first + n;
	__atomic_store_n((struct dh_thread_info **)dh_stable_make(in, n, sizeof info),
			 info, __ATOMIC_RELEASE);
	return info;
}

static struct dh_thread_info *info_new(void)
{
	return info_put(&infos, &created, 0);
}

struct dh_thread_info *dh_thread_record(enum dh_thread_kind kind, uint32_t site)
{
	/* To other engines a strand is a thread like any, with a small number. */
	struct dh_thread_info *info =
	    kind == DH_THREAD_STRAND && dh_observer
		? info_new()
		: info_put(&others, &recorded, DH_NO_THREADS);
	info->kind = kind;
	info->created_at = site;
	info->joined = true; /* nobody will ask for its end */
	return info;
}

uint32_t dh_thread_new_name(void)
{
	return __atomic_add_fetch(&named, 1, __ATOMIC_RELAXED);
}

struct dh_thread_info *dh_thread_by_id(uint32_t id)
{
	const struct dh_stable *in = id < DH_NO_THREADS ? &infos : &others;
	uint32_t n = id < DH_NO_THREADS ? id : id - DH_NO_THREADS;
	struct dh_thread_info **place = dh_stable_get(in, n, sizeof *place);
	return place ? __atomic_load_n(place, __ATOMIC_ACQUIRE) : NULL;
}

struct dh_thread_info *dh_thread_by_epoch(uint32_t slot, uint32_t clock)
{
	uint32_t id;
	return dh_slot_owner(slot, clock, &id) ? dh_thread_by_id(id) : NULL;
}

static void clock_free(struct dh_clockset *c)
{
	if (!c)
		return;
	dh_clockset_free(c);
	dh_mem_free(c, sizeof *c);
}

static void clock_drop(struct dh_thread_info *info)
{
	clock_free(info->clock);
	info->clock = NULL;
}

/* ---- alone ---- */

struct dh_self *dh_lone;
static struct dh_self *sole; /* atomic: the thread that is, or NULL */

void dh_thread_alone(void)
{
	struct dh_self *t = dh_thread_self();
	__atomic_store_n(&dh_lone, t, __ATOMIC_RELAXED);
	dh_thread_look(t);
}

void dh_thread_sole(void)
{
	struct dh_self *t = dh_thread_self();
	__atomic_store_n(&sole, t, __ATOMIC_RELAXED);
	__atomic_store_n(&t->sole, true, __ATOMIC_RELAXED);
}

void dh_thread_not_alone(void)
{
	struct dh_self *t = __atomic_load_n(&dh_lone, __ATOMIC_RELAXED);
	if (DH_LIKELY(!t))
		return;
	__atomic_store_n(&dh_lone, NULL, __ATOMIC_RELAXED);
	dh_thread_look(t);
}

/* There will be another thread. */
static void not_sole(void)
{
	struct dh_self *t = __atomic_load_n(&sole, __ATOMIC_RELAXED);
	dh_thread_not_alone();
	if (DH_LIKELY(!t))
		return;
	__atomic_store_n(&t->sole, false, __ATOMIC_RELAXED);
	__atomic_store_n(&sole, NULL, __ATOMIC_RELAXED);
}

/* ---- starting ---- */

struct dh_thread_info *dh_thread_create(uint32_t site)
{
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	not_sole();
	struct dh_thread_info *info = info_new();
	if (t->state)
		dh_saw(t, DH_SEEN_FORK, info->id, 0);
	info->created_at = site;
	info->parent = t->state ? t->state->who : 0;
	info->slot = dh_slot_take(t->vc, info->id);
	info->clock = dh_mem_alloc(sizeof *info->clock);
	dh_clockset_assign(info->clock, t);
	dh_thread_tick(t);
	dh_leave_runtime(t);
	return info;
}

void dh_thread_abandon(struct dh_thread_info *info)
{
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	if (info->slot)
		dh_slot_give(info->slot, dh_slot_first_clock(info->slot) - 1);
	clock_drop(info);
	info->joined = true;
	dh_leave_runtime(t);
}

static void set_epoch(struct dh_self *t, uint32_t slot, uint32_t clock)
{
	t->vc[slot] = clock;
	t->epoch = dh_record_epoch(slot, clock);
	t->dirty = 0;
	dh_thread_look(t);
}

static void count_live(void)
{
	uint32_t now = __atomic_add_fetch(&live, 1, __ATOMIC_RELAXED);
	uint32_t most = __atomic_load_n(&peak, __ATOMIC_RELAXED);
	while (now > most &&
	       !__atomic_compare_exchange_n(&peak, &most, now, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED))
		;
}

void dh_thread_attach(struct dh_thread_info *info)
{
	struct dh_self *t = dh_thread_self();
	t->inside++; /* no state yet: a handler must wait */
	not_sole();
	if (!info) {
		info = info_new();
		info->slot = dh_slot_take(NULL, info->id);
		info->joined = true; /* nobody will tell us that it ended */
	}
	dh_stop_begin(info);
	t->state = dh_mem_alloc(sizeof *t->state);
	t->state->sites = dh_sites_cache(DH_SITES_LEAST);
	t->state->site_room = DH_SITES_LEAST;
	dh_thread_use_caches(t);
	t->state->memo = t->state->write_memo = dh_no_memo;
	t->state->blends = dh_no_blends;
	t->vc = dh_mem_alloc(DH_SLOTS * sizeof *t->vc);
	t->state->info = info;
	t->state->who = info->id;
	t->state->name = dh_thread_new_name();
	t->state->frames = dh_mem_alloc(FIRST_FRAMES * sizeof *t->state->frames);
	t->state->frame_room = FIRST_FRAMES;
	t->state->frames[0].node = DH_CONTEXT_ROOT;
	t->top = t->state->frames;
	t->limit = t->state->frames + FIRST_FRAMES;
	if (info->clock) {
		dh_copy(t->vc, info->clock->at, info->clock->len * sizeof *t->vc);
		clock_drop(info);
	}
	if (info->slot) {
		set_epoch(t, info->slot, dh_slot_first_clock(info->slot));
		t->dirty = DH_DIRTY_NEWS; /* what it starts with: sync.h */
	} else {
		t->ignore++; /* no slot was left: see dh_threads_get_stats() */
		set_epoch(t, DH_SLOT_NONE, 1);
		__atomic_fetch_add(&unwatched, 1, __ATOMIC_RELAXED);
	}
	dh_lock_log_attach(t);
	dh_lock(&dh_threads_lock);
	info->vc = t->vc;
	dh_unlock(&dh_threads_lock);
	__atomic_store_n(&info->running, true, __ATOMIC_RELAXED);
	/* After `running`: see has_ended(). */
	info->stack_at = (uintptr_t)__builtin_frame_address(0);
	__atomic_store_n(&info->os_id, dh_sys_thread_id(), __ATOMIC_RELEASE);
	count_live();
	dh_saw(t, DH_SEEN_START, info->id, 0);
	dh_leave_runtime(t);
}

/* Room for contexts is address space, which a process may have little of. */
static uint32_t most_contexts(void)
{
	enum { SHARE = 16, EACH = 64, LEAST = 1 << 12, MOST = 1 << 24 };
	uint64_t fits = dh_sys_memory_limit() / SHARE / EACH;
	return (uint32_t)DH_MIN(DH_MAX(fits, (uint64_t)LEAST), (uint64_t)MOST);
}

void dh_threads_init(void)
{
	uint32_t most = most_contexts();
	dh_contexts = dh_context_tree_new(&(struct dh_context_config){
	    .nodes = most, .sites = DH_MIN(most, (uint32_t)DH_BLEND_FIRST - 1)});
	dh_thread_attach(NULL);
	dh_thread_by_id(0)->joined = false;
}

/* ---- ending ---- */

/* Not one that has yet to start: that has no number from the kernel. */
static bool has_ended(const struct dh_thread_info *info)
{
	return __atomic_load_n(&info->os_id, __ATOMIC_ACQUIRE) != 0 &&
	       !__atomic_load_n(&info->running, __ATOMIC_RELAXED);
}

static void free_memo(struct dh_set_memo *memo)
{
	if (memo != dh_no_memo)
		dh_mem_free(memo, DH_SET_MEMO * sizeof *memo);
}

bool dh_thread_detach_self(void)
{
	struct dh_self *t = dh_thread_self();
	struct dh_thread_state *s = t->state;
	if (!s)
		return true;
	dh_enter_runtime(t);
	struct dh_thread_info *info = s->info;
	if (s->calls)
		dh_thread_end_calls(t);
	if (s->own_hands)
		dh_thread_end_hands(t);
	dh_saw(t, DH_SEEN_END, info->id, 0);
	t->ignore++;
	dh_thread_look(t);
	struct dh_clockset *end = dh_mem_alloc(sizeof *end);
	dh_clockset_assign(end, t);
	dh_lock(&dh_threads_lock);
	info->clock = end;
	info->running = false;
	bool alone = info->joined;
	dh_unlock(&dh_threads_lock);
	dh_lock_log_detach(t);
	if (info->slot) /* an empty time frame is the next owner's first */
		dh_slot_give(info->slot, t->vc[info->slot] - !t->dirty);
	dh_lock(&dh_threads_lock);
	info->vc = NULL; /* after its slot was given back: see dh_threads_after_fork() */
	info->inside = NULL;
	dh_unlock(&dh_threads_lock);
	if (alone)
		clock_drop(info);
	__atomic_fetch_sub(&live, 1, __ATOMIC_RELAXED);
	t->state = NULL;
	dh_thread_use_caches(t);
	t->top = t->limit = NULL;
	dh_mem_free(t->vc, DH_SLOTS * sizeof *t->vc);
	t->vc = NULL;
	dh_mem_free(s->frames, s->frame_room * sizeof *s->frames);
	clock_free(s->fence_release);
	clock_free(s->fence_acquire);
	free_memo(s->memo);
	free_memo(s->write_memo);
	if (s->blends != dh_no_blends)
		dh_mem_free(s->blends, DH_BLEND_MEMO * sizeof *s->blends);
	dh_mem_free(s->sites, s->site_room * sizeof *s->sites);
	dh_mem_free(s, sizeof *s);
	dh_leave_runtime(t); /* without state, what still comes is not watched */
	return alone;
}

void dh_thread_joined(struct dh_thread_info *info)
{
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	dh_lock(&dh_threads_lock);
	struct dh_clockset *end = has_ended(info) ? info->clock : NULL;
	info->clock = end ? NULL : info->clock;
	info->joined = true;
	dh_unlock(&dh_threads_lock);
	if (end) {
		dh_clockset_learn(t, end);
		dh_saw(t, DH_SEEN_JOIN, info->id, 0);
	}
	clock_free(end);
	dh_leave_runtime(t);
}

void dh_thread_seen_dead(const struct dh_thread_info *info)
{
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	dh_lock(&dh_threads_lock);
	bool over = has_ended(info) && info->clock;
	if (over)
		dh_clockset_learn(t, info->clock);
	dh_unlock(&dh_threads_lock);
	if (over)
		dh_saw(t, DH_SEEN_JOIN, info->id, 0);
	dh_leave_runtime(t);
}

bool dh_thread_forget(struct dh_thread_info *info)
{
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	dh_lock(&dh_threads_lock);
	info->joined = true;
	bool over = has_ended(info);
	dh_unlock(&dh_threads_lock);
	if (over)
		clock_drop(info);
	dh_leave_runtime(t);
	return over;
}

/* ---- all that was ---- */

/* How far a slot has got. What its user does at the same time may count or not. */
static uint32_t clock_now(uint32_t slot)
{
	uint32_t id, now = dh_slot_last_clock(slot);
	if (!dh_slot_user(slot, &id))
		return dh_slot_last_clock(slot);
	struct dh_thread_info *info = dh_thread_by_id(id);
	dh_lock(&dh_threads_lock);
	if (info->vc) /* else it has not started, or has just ended */
		now = DH_MAX(__atomic_load_n(&info->vc[slot], __ATOMIC_RELAXED),
			     __atomic_load_n(&info->ahead, __ATOMIC_RELAXED));
	dh_unlock(&dh_threads_lock);
	return now;
}

void dh_past_forget(struct dh_thread_state *s)
{
	s->past_turn += (uint64_t)1 << DH_SLOT_SHIFT;
	if (!s->past_turn)
		dh_zero(s->past, sizeof s->past);
}

void dh_thread_know_all(struct dh_self *t)
{
	struct dh_clockset all = {0};
	uint32_t own = (uint32_t)(t->epoch >> DH_SLOT_SHIFT);
	dh_enter_runtime(t);
	__atomic_store_n(&dh_slots_vague, true, __ATOMIC_SEQ_CST);
	dh_clockset_assign(&all, t);
	for (uint32_t slot = 1; slot < all.len; slot++)
		if (slot != own)
			all.at[slot] = clock_now(slot);
	all.from = all.slot = 0; /* it is no thread's own */
	dh_clockset_learn(t, &all);
	dh_clockset_free(&all);
	dh_saw(t, DH_SEEN_ALL, 0, 0);
	dh_leave_runtime(t);
}

/* ---- fork ---- */

/* A thread that the child of a fork does not have: how far its slot got. The kernel
 * copies page by page while the thread goes on, so that the shadow may have records from
 * after the moment that its clock is of. */
static uint32_t gone_by_fork(struct dh_thread_info *info, uint32_t slot)
{
	enum { MEANWHILE = 1 << 18 };
	uint32_t last = dh_slot_first_clock(slot) - 1;
	if (info->vc)
		last =
		    DH_MIN(info->vc[slot] + MEANWHILE, (uint32_t)DH_RECORD_CLOCK_MAX - 1);
	info->running = false;
	info->joined = true;
	info->vc = NULL;
	info->inside = NULL;
	clock_drop(info);
	dh_lock_log_close(slot, last);
	dh_slot_give(slot, last);
	return last;
}

/* Everything before the fork comes before what the child does from now on: the others
 * go on in another memory. */
void dh_threads_after_fork(void)
{
	struct dh_self *t = dh_thread_self();
	struct dh_clockset all = {0};
	uint32_t own = (uint32_t)(t->epoch >> DH_SLOT_SHIFT), id;
	__atomic_store_n(&live, t->state != NULL, __ATOMIC_RELAXED);
	if (!t->state)
		return;
	dh_enter_runtime(t);
	t->state->info->os_id = dh_sys_thread_id();
	dh_clockset_assign(&all, t);
	for (uint32_t slot = 1; slot < dh_slot_count; slot++)
		if (slot != own)
			all.at[slot] = dh_slot_user(slot, &id)
					   ? gone_by_fork(dh_thread_by_id(id), slot)
					   : dh_slot_last_clock(slot);
	all.from = all.slot = 0; /* it is no thread's own any more */
	dh_clockset_learn(t, &all);
	dh_clockset_free(&all);
	if (dh_observer && dh_observer->forked)
		dh_observer->forked(t);
	dh_leave_runtime(t);
}

/* ---- time frames ---- */

DH_NOINLINE void dh_thread_tick_slow(struct dh_self *t)
{
	uint32_t slot = (uint32_t)(t->epoch >> DH_SLOT_SHIFT);
	if (DH_UNLIKELY(t->ignore && !slot))
		return;
	if (DH_UNLIKELY(t->state->in_lane != NULL)) {
		dh_thread_leave_lane(t);
		return;
	}
	uint32_t clock = t->vc[slot] + 1;
	if (DH_UNLIKELY(clock >= DH_RECORD_CLOCK_MAX)) {
		struct dh_thread_info *info = t->state->info;
		uint32_t fresh = dh_slot_renew(t->vc, info->id, slot);
		if (!fresh)
			return; /* no slot left: this frame goes on; counted */
		t->state->version++;
		info->slot = slot = fresh;
		set_epoch(t, slot, dh_slot_first_clock(fresh));
		t->dirty = DH_DIRTY_NEWS; /* as at the start */
		dh_lock_log_attach(t);
		return;
	}
	set_epoch(t, slot, clock);
}

/* ---- not watching ---- */

void dh_ignore_begin(struct dh_self *t)
{
	t->ignore++;
	dh_thread_look(t);
}

void dh_ignore_end(struct dh_self *t)
{
	if (t->ignore)
		t->ignore--;
	dh_thread_look(t);
}

/* ---- locks held ---- */

/* A time frame that was gone back to has the same locks throughout: with others a fresh
 * one begins. */
static void step_out(struct dh_self *t)
{
	if (DH_UNLIKELY(dh_has_resumed(t)))
		dh_thread_tick(t);
}

void dh_held_again(struct dh_self *t, uintptr_t lock, bool write, uint64_t pc)
{
	struct dh_thread_state *s = t->state;
	dh_enter_runtime(t);
	struct dh_held *h = &s->held[s->held_count];
	uint32_t site = dh_site_at_hand(t, pc);
	*h = (struct dh_held){lock, site ? site : dh_thread_site(t, pc), write, 0};
	dh_lock_log_acquire(t, h);
	s->held_count++;
	dh_leave_runtime(t);
}

void dh_held_add(struct dh_self *t, uintptr_t lock, bool write, uint64_t pc)
{
	struct dh_thread_state *s = t->state;
	dh_saw(t, write ? DH_SEEN_LOCK : DH_SEEN_READ_LOCK, lock, pc);
	if (s->held_count == DH_HELD_MAX) {
		s->held_lost++;
		return;
	}
	step_out(t);
	dh_held_again(t, lock, write, pc);
}

void dh_held_remove(struct dh_self *t, uintptr_t lock)
{
	struct dh_thread_state *s = t->state;
	step_out(t);
	if (s->resume.lock != lock)
		s->resume.next = 0; /* with the others it cannot be gone back */
	for (uint32_t i = s->held_count; i > 0; i--) {
		if (s->held[i - 1].lock != lock)
			continue;
		dh_saw(t, s->held[i - 1].write ? DH_SEEN_UNLOCK : DH_SEEN_READ_UNLOCK,
		       lock, 0);
		dh_lock_log_release(t, &s->held[i - 1]);
		for (uint32_t k = i; k < s->held_count; k++)
			s->held[k - 1] = s->held[k];
		s->held_count--;
		return;
	}
	if (s->held_lost)
		s->held_lost--;
	else
		dh_saw(t, DH_SEEN_SEND, lock, 0); /* another thread has taken it */
}

void dh_threads_get_stats(struct dh_threads_stats *s)
{
	*s = (struct dh_threads_stats){
	    .created = __atomic_load_n(&created, __ATOMIC_RELAXED),
	    .live = __atomic_load_n(&live, __ATOMIC_RELAXED),
	    .peak = __atomic_load_n(&peak, __ATOMIC_RELAXED),
	    .unwatched = __atomic_load_n(&unwatched, __ATOMIC_RELAXED),
	};
	dh_slots_get_stats(&s->slots_reused, &s->slots_shared, &s->slots_renewed);
}
