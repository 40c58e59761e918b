/* SPDX-License-Identifier: MIT */
/*
 * Threads: attaching and detaching, time frames, stacks; see thread.h. Slots are in
 * slots.c.
 */
#include "runtime/thread.h"
#include "base/mem.h"
#include "base/stable.h"
#include "base/sys.h"
#include "runtime/slots.h"
#include "runtime/sync.h"

__thread struct dh_self dh_self __attribute__((tls_model("initial-exec")));
__thread uint32_t dh_signals_pending __attribute__((tls_model("initial-exec")));
void (*dh_signals_waiting)(struct dh_self *t);
struct dh_context_tree *dh_contexts;

enum { FIRST_FRAMES = 256 };

static struct dh_stable infos; /* of struct dh_thread_info *, by id */
static uint32_t created;       /* atomic */
static uint32_t live, peak;    /* atomic */
static uint64_t unwatched;     /* atomic */

/* ---- records of threads ---- */

static struct dh_thread_info *info_new(void)
{
	struct dh_thread_info *info = dh_mem_alloc(sizeof *info);
	info->id = __atomic_fetch_add(&created, 1, __ATOMIC_RELAXED);
	__atomic_store_n((struct dh_thread_info **)dh_stable_make(&infos, info->id,
								  sizeof info),
			 info, __ATOMIC_RELEASE);
	return info;
}

struct dh_thread_info *dh_thread_by_id(uint32_t id)
{
	struct dh_thread_info **place = dh_stable_get(&infos, id, sizeof *place);
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

/* ---- starting ---- */

struct dh_thread_info *dh_thread_create(uint32_t site)
{
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	struct dh_thread_info *info = info_new();
	info->created_at = site;
	info->parent = t->state ? t->state->info->id : 0;
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
	t->dirty = false;
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
	t->state = dh_mem_alloc(sizeof *t->state);
	t->vc = dh_mem_alloc(DH_SLOTS * sizeof *t->vc);
	if (!info) {
		info = info_new();
		info->slot = dh_slot_take(NULL, info->id);
		info->joined = true; /* nobody will tell us that it ended */
	}
	t->state->info = info;
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
	} else {
		set_epoch(t, DH_SLOT_NONE, 1);
		t->ignore++; /* no slot was left: see dh_threads_get_stats() */
		__atomic_fetch_add(&unwatched, 1, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&info->running, true, __ATOMIC_RELAXED);
	/* After `running`: see has_ended(). */
	__atomic_store_n(&info->os_id, dh_sys_thread_id(), __ATOMIC_RELEASE);
	count_live();
	dh_leave_runtime(t);
}

void dh_threads_init(void)
{
	dh_contexts = dh_context_tree_new(
		&(struct dh_context_config){.nodes = 1u << 24, .sites = DH_RECORD_SITE_MAX});
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

bool dh_thread_detach_self(void)
{
	struct dh_self *t = dh_thread_self();
	struct dh_thread_state *s = t->state;
	if (!s)
		return true;
	dh_enter_runtime(t);
	struct dh_thread_info *info = s->info;
	t->ignore++;
	dh_zero(&t->tlb, sizeof t->tlb);
	struct dh_clockset *end = dh_mem_alloc(sizeof *end);
	dh_clockset_assign(end, t);
	dh_lock(&dh_threads_lock);
	info->clock = end;
	info->running = false;
	bool alone = info->joined;
	dh_unlock(&dh_threads_lock);
	if (info->slot) /* an empty time frame is the next owner's first */
		dh_slot_give(info->slot, t->vc[info->slot] - !t->dirty);
	if (alone)
		clock_drop(info);
	__atomic_fetch_sub(&live, 1, __ATOMIC_RELAXED);
	t->state = NULL;
	dh_mem_free(t->vc, DH_SLOTS * sizeof *t->vc);
	t->vc = NULL;
	dh_mem_free(s->frames, s->frame_room * sizeof *s->frames);
	clock_free(s->fence_release);
	clock_free(s->fence_acquire);
	dh_mem_free(s, sizeof *s);
	/* `inside` stays raised: what still comes on this thread is not watched. */
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
	if (end)
		dh_clockset_learn(t, end);
	clock_free(end);
	dh_leave_runtime(t);
}

void dh_thread_seen_dead(const struct dh_thread_info *info)
{
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	dh_lock(&dh_threads_lock);
	if (has_ended(info) && info->clock)
		dh_clockset_learn(t, info->clock);
	dh_unlock(&dh_threads_lock);
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

void dh_threads_after_fork(void)
{
	__atomic_store_n(&live, 1, __ATOMIC_RELAXED);
	dh_thread_self()->state->info->os_id = dh_sys_thread_id();
}

/* ---- time frames ---- */

DH_NOINLINE void dh_thread_tick_slow(struct dh_self *t)
{
	uint32_t slot = (uint32_t)(t->epoch >> DH_SLOT_SHIFT);
	if (DH_UNLIKELY(t->ignore && !slot))
		return;
	uint32_t clock = t->vc[slot] + 1;
	if (DH_UNLIKELY(clock >= DH_RECORD_CLOCK_MAX)) {
		struct dh_thread_info *info = t->state->info;
		uint32_t fresh = dh_slot_renew(t->vc, info->id, slot);
		if (!fresh)
			return; /* no slot left: this frame goes on; counted */
		t->state->version++;
		info->slot = slot = fresh;
		clock = dh_slot_first_clock(fresh);
	}
	set_epoch(t, slot, clock);
}

/* ---- stacks ---- */

/* The context node of the innermost frame: from the nearest frame outward that has
 * one, inward. Each call is looked up at most once. */
static uint32_t node_of_top(struct dh_self *t)
{
	struct dh_frame *f = t->top;
	while (!f->node)
		f--;
	uint32_t node = f->node;
	while (f < t->top) {
		f++;
		f->node = node = dh_context_enter(dh_contexts, node, f->pc);
	}
	return node;
}

uint32_t dh_thread_site(struct dh_self *t, uint64_t pc)
{
	uint32_t node = node_of_top(t);
	struct dh_site_entry *e = dh_site_entry_of(t, node, pc);
	if (DH_UNLIKELY(e->pc != pc || e->node != node))
		*e = (struct dh_site_entry){pc, node, dh_site_make(dh_contexts, node, pc)};
	return e->site;
}

DH_COLD void dh_thread_grow_stack(struct dh_self *t)
{
	dh_enter_runtime(t);
	struct dh_thread_state *s = t->state;
	size_t depth = (size_t)(t->top - s->frames), room = s->frame_room * 2;
	s->frames = dh_mem_resize(s->frames, s->frame_room * sizeof *s->frames,
				  room * sizeof *s->frames);
	s->frame_room = room;
	t->top = s->frames + depth;
	t->limit = s->frames + room;
	dh_leave_runtime(t);
}

/* ---- not watching ---- */

void dh_ignore_begin(struct dh_self *t)
{
	t->ignore++;
	dh_zero(&t->tlb, sizeof t->tlb);
}

void dh_ignore_end(struct dh_self *t)
{
	if (t->ignore)
		t->ignore--;
}

/* ---- locks held ---- */

void dh_held_add(struct dh_self *t, uintptr_t lock, bool write, uint64_t pc)
{
	struct dh_thread_state *s = t->state;
	if (s->held_count == DH_HELD_MAX) {
		s->held_lost++;
		return;
	}
	dh_enter_runtime(t);
	s->held[s->held_count++] = (struct dh_held){lock, dh_thread_site(t, pc), write};
	dh_leave_runtime(t);
}

void dh_held_remove(struct dh_self *t, uintptr_t lock)
{
	struct dh_thread_state *s = t->state;
	for (uint32_t i = s->held_count; i > 0; i--) {
		if (s->held[i - 1].lock != lock)
			continue;
		for (uint32_t k = i; k < s->held_count; k++)
			s->held[k - 1] = s->held[k];
		s->held_count--;
		return;
	}
	if (s->held_lost)
		s->held_lost--;
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
