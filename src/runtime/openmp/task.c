/* SPDX-License-Identifier: MIT */
/* Explicit tasks, from creation to end; see openmp.h. */
#include "base/mem.h"
#include "runtime/openmp/memory.h"
#include "runtime/openmp/model.h"
#include "runtime/openmp/names.h"
#include "runtime/openmp/spare.h"
#include "runtime/openmp/stack.h"

/* ---- creation ---- */

static void copy_depends(struct dh_omp_task *k, const struct dh_omp_depend *depend,
			 size_t depends)
{
	if (!depends)
		return;
	k->depends = depends;
	k->depend = dh_mem_alloc(depends * sizeof *depend);
	dh_copy(k->depend, depend, depends * sizeof *depend);
}

static struct dh_omp_task *task_new(struct dh_omp_task *parent, unsigned flags)
{
	struct dh_omp_task *k = dh_spare_alloc(DH_SPARE_TASK, sizeof *k);
	k->refs = 1 + !!(flags & DH_OMP_DETACHED);
	k->flags = (uint8_t)flags;
	k->team = parent->team;
	k->round = parent->round;
	k->group = parent->group;
	k->depth = parent->depth + 1;
	k->parent = parent;
	__atomic_fetch_add(&parent->refs, 1, __ATOMIC_RELAXED);
	return k;
}

/* Those who wait for it wait for all of the family: not so where there are dependences, or
 * an event. */
static bool may_have_family(const struct dh_omp_task *k)
{
	return !k->depends && !(k->flags & DH_OMP_DETACHED) && !dh_observer;
}

struct dh_omp_task *dh_omp_task_create(unsigned flags, const struct dh_omp_depend *depend,
				       size_t depends, uint64_t pc)
{
	struct dh_self *t = dh_omp_self();
	if (!t)
		return NULL;
	dh_enter_runtime(t);
	struct dh_omp_task *parent = dh_omp_present(t);
	if (parent->flags & DH_OMP_FINAL)
		flags |= DH_OMP_UNDEFERRED | DH_OMP_FINAL;
	if (!parent->name)
		parent->name = dh_thread_new_name();
	struct dh_omp_task *k = task_new(parent, flags);
	copy_depends(k, depend, depends);
	k->guest = flags & DH_OMP_UNDEFERRED;
	k->sent = (uintptr_t)k;
	if (!k->guest) {
		dh_omp_memory_not_alone();
		k->who = dh_omp_name_task(dh_thread_site(t, pc), t->state->who);
		dh_saw(t, DH_SEEN_SEND, (uintptr_t)k, 0);
		dh_omp_start_note(&k->start, parent, t);
		if (may_have_family(k))
			k->family = dh_family_join(&parent->brood);
	}
	dh_leave_runtime(t);
	return k;
}

void dh_omp_task_made(struct dh_omp_task *task)
{
	struct dh_self *t = dh_omp_self();
	if (!t || !task || task->guest)
		return;
	dh_enter_runtime(t);
	dh_moment_drop(task->start.moment);
	dh_saw(t, DH_SEEN_SEND, task->sent, 0);
	dh_omp_start_note(&task->start, dh_omp_present(t), t);
	dh_leave_runtime(t);
}

struct dh_omp_task *dh_omp_task_like(const struct dh_omp_task *pattern)
{
	struct dh_self *t = dh_omp_self();
	if (!t || !pattern)
		return NULL;
	dh_enter_runtime(t);
	struct dh_omp_task *k = task_new(pattern->parent, pattern->flags);
	k->round = pattern->round;
	k->group = pattern->group;
	k->guest = pattern->guest;
	k->who = pattern->who;
	k->sent = pattern->sent;
	k->start = pattern->start;
	if (k->start.moment)
		__atomic_fetch_add(&k->start.moment->refs, 1, __ATOMIC_RELAXED);
	dh_leave_runtime(t);
	return k;
}

struct dh_omp_task *dh_omp_task_beside(unsigned flags)
{
	struct dh_self *t = dh_omp_self();
	if (!t)
		return NULL;
	dh_enter_runtime(t);
	struct dh_omp_task *maker = dh_omp_present(t);
	struct dh_omp_task *k = task_new(maker->parent ? maker->parent : maker, flags);
	k->round = maker->round;
	k->group = maker->group;
	k->who = maker->who;
	k->guest = flags & DH_OMP_UNDEFERRED;
	k->sent = (uintptr_t)k;
	if (!k->guest) {
		dh_saw(t, DH_SEEN_SEND, k->sent, 0);
		dh_omp_start_note(&k->start, maker, t);
	}
	dh_leave_runtime(t);
	return k;
}

void dh_omp_task_leave(struct dh_omp_task *pattern)
{
	struct dh_self *t = dh_omp_self();
	if (!t || !pattern)
		return;
	dh_enter_runtime(t);
	dh_lock(&pattern->team->lock);
	dh_vec_push(&pattern->team->patterns, pattern);
	dh_unlock(&pattern->team->lock);
	dh_leave_runtime(t);
}

static void task_free(struct dh_omp_task *k)
{
	dh_moment_drop(k->start.moment);
	dh_moment_drop(k->kept);
	dh_moment_drop(k->fulfilled);
	dh_family_drop(&k->family);
	dh_family_drop(&k->brood);
	dh_clockset_free(&k->children);
	if (k->places) {
		dh_omp_places_free(k->places);
		dh_mem_free(k->places, sizeof *k->places);
	}
	dh_mem_free(k->depend, k->depends * sizeof *k->depend);
	dh_mem_free(k->flow, sizeof *k->flow);
	dh_spare_free(DH_SPARE_TASK, k, sizeof *k);
}

/* Its parent may have waited for nothing but this. */
void dh_omp_task_unref(struct dh_omp_task *task)
{
	while (task && __atomic_sub_fetch(&task->refs, 1, __ATOMIC_ACQ_REL) == 0) {
		struct dh_omp_task *parent = task->parent;
		if (task->implicit)
			dh_omp_team_unref(task->team);
		task_free(task);
		task = parent;
	}
}

void dh_omp_task_depend(struct dh_omp_task *task, const struct dh_omp_depend *depend,
			size_t depends)
{
	struct dh_self *t = dh_omp_self();
	if (!t || !task)
		return;
	dh_enter_runtime(t);
	struct dh_omp_depend *old = task->depend;
	size_t before = task->depends;
	dh_family_drop(&task->family);
	task->depends = before + depends;
	task->depend = dh_mem_alloc(task->depends * sizeof *old);
	if (before)
		dh_copy(task->depend, old, before * sizeof *old);
	dh_copy(task->depend + before, depend, depends * sizeof *depend);
	dh_mem_free(old, before * sizeof *old);
	dh_leave_runtime(t);
}

void dh_omp_task_drop(struct dh_omp_task *task)
{
	struct dh_self *t = dh_omp_self();
	if (!t || !task)
		return;
	dh_enter_runtime(t);
	if (task->flags & DH_OMP_DETACHED)
		dh_omp_task_unref(task);
	dh_omp_task_unref(task);
	dh_leave_runtime(t);
}

/* ---- running ---- */

/* Stacks of reports begin with the task: who happened to run it is of no interest. */
static void cut_stack(struct dh_omp_task *k, struct dh_self *t)
{
	if (t->top + 1 >= t->limit)
		dh_thread_enter_slow(t, 1, (uint32_t)k->stack);
	else
		*++t->top = (struct dh_frame){.pc = 1, .sp = (uint32_t)k->stack};
	t->top->node = DH_CONTEXT_ROOT;
	k->frames = (size_t)(t->top - t->state->frames) - 1;
}

static void learn_dependences(struct dh_omp_task *k, struct dh_self *t)
{
	struct dh_omp_places *p = k->parent->places;
	if (!k->depends || !p)
		return;
	dh_lock(&k->team->lock);
	dh_omp_places_learn(p, t, k->depend, k->depends);
	dh_unlock(&k->team->lock);
}

/* Where there is no strand the task is the guest of what it interrupts, and comes after
 * all that that did. */
static void begin_as_guest(struct dh_omp_task *k, struct dh_self *t)
{
	k->guest = true;
	dh_omp_flow_return(k->below, t);
	t->state->told = true; /* the tasks that it makes will know what that did */
	dh_omp_start_learn(t, &k->start);
}

/* Those who wait for it must wait for all that are in the lane: not so where there are
 * dependences, or an event. Regions end, and with them what a thread keeps of lanes. */
static bool may_share_lane(const struct dh_omp_task *k)
{
	return !k->depends && !(k->flags & DH_OMP_DETACHED) && k->team->start.moment &&
	       !dh_observer && dh_lane_allowed(k->who);
}

/* A strand of those that it depends on, or NULL. */
static struct dh_strand *claim_strand(const struct dh_omp_task *k)
{
	struct dh_omp_places *p = k->parent->places;
	if (!k->depends || !p)
		return NULL;
	dh_lock(&k->team->lock);
	struct dh_strand *s = dh_omp_places_claim(p, k->depend, k->depends);
	dh_unlock(&k->team->lock);
	return s;
}

static void begin_own_flow(struct dh_omp_task *k, struct dh_self *t)
{
	const struct dh_lane_key key = {k->parent->name, k->group ? k->group->name : 0,
					k->round, k->who};
	const struct dh_strand_task task = {.start = &k->start,
					    .depth = k->depth,
					    .who = k->who,
					    .host = dh_omp_host(t),
					    .key = may_share_lane(k) ? &key : NULL,
					    .claimed = claim_strand(k)};
	dh_omp_flow_leave(k->below, t);
	k->strand = dh_strand_begin(t, &task);
	if (!k->strand) {
		begin_as_guest(k, t);
		return;
	}
	k->began = t->epoch;
	if (!t->state->in_lane)
		t->kin = dh_family_kin(k->family, t->state->common);
	dh_omp_stack_fresh(t, k->stack);
	cut_stack(k, t);
}

void dh_omp_task_begin(struct dh_omp_task *task, uintptr_t stack)
{
	struct dh_self *t = dh_omp_self();
	if (!t || !task)
		return;
	dh_enter_runtime(t);
	task->below = dh_omp_present(t);
	task->stack = stack;
	if (!task->guest) {
		begin_own_flow(task, t);
		dh_saw(t, DH_SEEN_RECEIVE, task->sent, 0);
	}
	task->state = DH_OMP_RUNS;
	dh_omp_set_present(task);
	learn_dependences(task, t);
	dh_leave_runtime(t);
}

/* ---- the end ---- */

/* Who waits for it knows, or will have learned by then, all that it began with: one entry
 * will do where it has learned little, that is, nothing that they do not learn anyhow. */
static void publish(struct dh_clockset *c, const struct dh_omp_task *k, bool little,
		    struct dh_self *t)
{
	uint32_t slot = (uint32_t)(t->epoch >> DH_SLOT_SHIFT);
	if (k->strand && !dh_observer && little)
		dh_clockset_note(c, slot, t->vc[slot] - !t->dirty);
	else
		dh_omp_tell(c, t);
}

static void put_dependences(struct dh_omp_task *k, struct dh_self *t, bool late)
{
	struct dh_omp_task *p = k->parent;
	if (!k->depends)
		return;
	if (!p->places)
		p->places = dh_mem_alloc(sizeof *p->places);
	dh_omp_places_put(p->places, t, k->strand, k->depend, k->depends, late);
}

/* Does anybody wait for it by another way than that it is part of its parent? */
static bool is_waited_for(const struct dh_omp_task *k, bool late)
{
	return !(k->flags & DH_OMP_UNDEFERRED) || k->depends || late;
}

/* To all who may wait for it. */
static void publish_end(struct dh_omp_task *k, struct dh_self *t, bool late)
{
	if (!(k->flags & DH_OMP_UNDEFERRED) || late) {
		bool nothing = k->strand && !dh_strand_has_learned(k->strand, t);
		if (k->parent->state != DH_OMP_ENDED) /* else it waits for none any more */
			publish(&k->parent->children, k, nothing, t);
		if (k->group)
			publish(&k->group->ends, k, nothing, t);
		/* Its children and groups have been here before. */
		bool waited = k->waited && k->waited == t->state->version;
		publish(&k->team->tasks[k->round % 2], k, nothing || waited, t);
	}
	put_dependences(k, t, late);
}

/* What it has read stands for its family, if it has told nobody, and no task that comes of
 * it can any more. Else those that it comes of have told, too. */
static void end_in_family(struct dh_omp_task *k, struct dh_self *t)
{
	uint32_t slot = (uint32_t)(t->epoch >> DH_SLOT_SHIFT);
	bool told = k->asked || (k->strand && t->state->told) ||
		    __atomic_load_n(&k->told, __ATOMIC_RELAXED);
	if (told)
		__atomic_store_n(&k->parent->told, true, __ATOMIC_RELAXED);
	else if (k->strand && k->family && !t->state->in_lane &&
		 __atomic_load_n(&k->refs, __ATOMIC_ACQUIRE) == 1)
		dh_family_enter(k->family, k->began,
				dh_record_epoch(slot, t->vc[slot] - !t->dirty),
				t->state->common);
}

static void end_own_flow(struct dh_omp_task *k, struct dh_self *t)
{
	dh_omp_thread_tell(k, t);
	dh_strand_end(k->strand, t);
	k->strand = NULL;
	dh_omp_flow_return(k->below, t);
	t->top = t->state->frames + k->frames;
	dh_omp_stack_fresh(t, k->stack);
}

static void tell_end(struct dh_omp_task *k, struct dh_self *t)
{
	dh_lock(&k->team->lock);
	if (k->fulfilled) {
		dh_moment_learn(t, k->fulfilled);
		dh_saw(t, DH_SEEN_RECEIVE, (uintptr_t)&k->fulfilled, 0);
	}
	publish_end(k, t, false);
	end_in_family(k, t);
	k->state = DH_OMP_ENDED;
	dh_unlock(&k->team->lock);
}

void dh_omp_task_end(struct dh_omp_task *task, void *arguments, size_t size)
{
	struct dh_self *t = dh_omp_self();
	if (!t || !task || task->state != DH_OMP_RUNS)
		return;
	dh_enter_runtime(t);
	if (!task->strand || !dh_strand_told(task->strand, t))
		tell_end(task, t);
	if (task->strand)
		end_own_flow(task, t);
	else if (is_waited_for(task, false))
		dh_thread_tick(t);
	dh_omp_set_present(task->below);
	if (size)
		dh_shadow_clear((uintptr_t)arguments, size);
	dh_omp_task_unref(task);
	dh_leave_runtime(t);
}

void dh_omp_task_fulfil(struct dh_omp_task *task)
{
	struct dh_self *t = dh_omp_self();
	if (!t || !task)
		return;
	dh_enter_runtime(t);
	dh_lock(&task->team->lock);
	if (task->state == DH_OMP_ENDED)
		publish_end(task, t, true);
	else
		task->fulfilled = dh_moment_now(t);
	dh_saw(t, DH_SEEN_SEND, (uintptr_t)&task->fulfilled, 0);
	dh_unlock(&task->team->lock);
	dh_thread_tick(t);
	dh_omp_task_unref(task);
	dh_leave_runtime(t);
}

/* ---- parts ---- */

struct dh_omp_task *dh_omp_parts_make(struct dh_omp_task *task)
{
	const unsigned flags = DH_OMP_UNDEFERRED | (task->flags & DH_OMP_FINAL);
	uint32_t count = task->parts;
	task->parts = 0;
	for (struct dh_omp_task *below; count; count--) {
		below = task;
		task = task_new(below, flags);
		task->guest = true;
		task->below = below;
		task->state = DH_OMP_RUNS;
		dh_omp_set_present(task);
	}
	return task;
}

void dh_omp_part_begin(void)
{
	struct dh_self *t = dh_omp_self();
	if (!t)
		return;
	if (DH_UNLIKELY(!dh_omp_task_present())) {
		dh_enter_runtime(t);
		dh_omp_present(t);
		dh_leave_runtime(t);
	}
	dh_omp_task_present()->parts++;
}

/* Where a task was made of it, that is the present one. */
void dh_omp_part_end(void)
{
	struct dh_omp_task *k = dh_omp_task_present();
	if (!dh_omp_self() || !k)
		return;
	if (k->parts)
		k->parts--;
	else
		dh_omp_task_end(k, NULL, 0);
}

/* ---- moving ---- */

void dh_omp_task_suspend(struct dh_omp_task *task)
{
	struct dh_self *t = dh_omp_self();
	if (!t || !task || task->state != DH_OMP_RUNS)
		return;
	dh_enter_runtime(t);
	if (task->strand) {
		dh_omp_flow_leave(task, t);
		dh_omp_flow_return(task->below, t);
		t->top = t->state->frames + task->frames;
		dh_omp_stack_fresh(t, task->stack);
	}
	dh_omp_set_present(task->below);
	dh_leave_runtime(t);
}

void dh_omp_task_resume(struct dh_omp_task *task, uintptr_t stack)
{
	struct dh_self *t = dh_omp_self();
	if (!t || !task || task->state != DH_OMP_RUNS)
		return;
	dh_enter_runtime(t);
	task->below = dh_omp_present(t);
	task->stack = stack;
	if (task->strand) {
		uint64_t os_id = t->state->info->os_id;
		dh_omp_flow_leave(task->below, t);
		dh_omp_flow_return(task, t);
		__atomic_store_n(&t->state->info->os_id, os_id, __ATOMIC_RELEASE);
		task->strand->lane.over = true; /* it was another thread's */
		dh_omp_stack_fresh(t, stack);
		cut_stack(task, t);
	}
	dh_omp_set_present(task);
	dh_leave_runtime(t);
}
