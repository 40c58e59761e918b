/* SPDX-License-Identifier: MIT */
/* Regions, their implicit tasks and barriers; see openmp.h. */
#include "base/mem.h"
#include "runtime/openmp/model.h"
#include "runtime/openmp/names.h"
#include "runtime/openmp/spare.h"

static __thread struct dh_omp_task *present __attribute__((tls_model("initial-exec")));

/* What is published by and for those that ask which thread they are in. Once there is
 * one. Only the thread itself uses it. */
static __thread struct dh_clockset *of_thread __attribute__((tls_model("initial-exec")));

struct dh_self *dh_omp_self(void)
{
	struct dh_self *t = dh_thread_self();
	dh_thread_not_alone(); /* one thread may run several tasks */
	return t->state && !t->inside && !t->state->handler_count ? t : NULL;
}

/* ---- the present task ---- */

static struct dh_omp_task *implicit_new(struct dh_omp_team *team)
{
	struct dh_omp_task *k = dh_mem_alloc(sizeof *k);
	k->refs = 1;
	k->implicit = true;
	k->state = DH_OMP_RUNS;
	k->team = team;
	k->flow = dh_mem_alloc(sizeof *k->flow);
	k->below = present;
	__atomic_fetch_add(&team->refs, 1, __ATOMIC_RELAXED);
	return k;
}

struct dh_omp_task *dh_omp_present(struct dh_self *t)
{
	if (DH_UNLIKELY(!present)) {
		struct dh_omp_team *team = dh_mem_alloc(sizeof *team);
		present = implicit_new(team);
		present->who = t->state->who;
	}
	return DH_UNLIKELY(present->parts) ? dh_omp_parts_make(present) : present;
}

/* The implicit task that the thread runs in a flow of its own, below all others. Tasks
 * can be hundreds deep, and each that begins asks. */
static struct dh_omp_task *bottom_of(struct dh_omp_task *task)
{
	while (task && (!task->implicit || task->guest))
		task = task->bottom ? task->bottom : task->below;
	return task;
}

void dh_omp_set_present(struct dh_omp_task *task)
{
	present = task;
	if (task && !task->implicit)
		task->bottom = bottom_of(task->below);
}

struct dh_omp_task *dh_omp_task_present(void)
{
	return present;
}

/* The task whose flow the task runs in. */
static struct dh_omp_task *host_of(struct dh_omp_task *task)
{
	while (task->guest)
		task = task->below;
	return task;
}

uint32_t dh_omp_host(const struct dh_self *t)
{
	const struct dh_omp_task *k = bottom_of(present);
	/* Its own flow runs, or has been left. */
	return !k || k == host_of(present) ? t->state->info->id : k->flow->info->id;
}

void dh_omp_thread_tell(const struct dh_omp_task *task, struct dh_self *t)
{
	if (!task->asked)
		return;
	if (!of_thread)
		of_thread = dh_mem_alloc(sizeof *of_thread);
	dh_omp_tell(of_thread, t);
	dh_thread_tick(t);
	if (task->parent)
		__atomic_store_n(&task->parent->told, true, __ATOMIC_RELAXED);
}

void dh_omp_flow_leave(struct dh_omp_task *task, struct dh_self *t)
{
	struct dh_omp_task *k = host_of(task);
	dh_omp_thread_tell(k, t);
	dh_flow_save(k->strand ? &k->strand->flow : k->flow, t);
}

void dh_omp_flow_return(struct dh_omp_task *task, struct dh_self *t)
{
	struct dh_omp_task *k = host_of(task);
	dh_flow_load(k->strand ? &k->strand->flow : k->flow, t);
	if (k->asked && of_thread)
		dh_omp_learn(t, of_thread);
}

void dh_omp_start_note(struct dh_start *start, struct dh_omp_task *task,
		       struct dh_self *t)
{
	start->moment = dh_moment_again(&task->kept, t);
	start->slot = (uint32_t)(t->epoch >> DH_SLOT_SHIFT);
	start->clock = t->vc[start->slot] - !t->dirty;
	dh_thread_tick_for_task(t);
}

void dh_omp_start_learn(struct dh_self *t, const struct dh_start *start)
{
	struct dh_clockset own = {0};
	dh_moment_learn(t, start->moment);
	dh_clockset_note(&own, start->slot, start->clock);
	dh_clockset_learn(t, &own);
	dh_clockset_free(&own);
}

/* In a region that a task began the answer is a number in its team, by which no memory of
 * the thread is known to other tasks. */
void dh_omp_thread_asked(void)
{
	struct dh_self *t = dh_omp_self();
	if (!t || !present)
		return;
	struct dh_omp_task *k = present;
	for (; k->guest; k = k->below)
		if (k->implicit)
			return;
	if (k->asked)
		return;
	dh_enter_runtime(t);
	k->asked = true;
	if (of_thread)
		dh_omp_learn(t, of_thread);
	dh_leave_runtime(t);
}

/* ---- regions ---- */

struct dh_omp_team *dh_omp_team_begin(uint64_t pc)
{
	struct dh_self *t = dh_omp_self();
	if (!t)
		return NULL;
	dh_enter_runtime(t);
	struct dh_omp_team *team = dh_mem_alloc(sizeof *team);
	team->refs = 1;
	team->site = dh_thread_site(t, pc);
	team->who = t->state->who;
	dh_saw(t, DH_SEEN_SEND, (uintptr_t)team, 0);
	dh_omp_start_note(&team->start, dh_omp_present(t), t);
	t->state->told = true;
	dh_leave_runtime(t);
	return team;
}

void dh_omp_team_unref(struct dh_omp_team *team)
{
	if (__atomic_sub_fetch(&team->refs, 1, __ATOMIC_ACQ_REL))
		return;
	dh_moment_drop(team->start.moment);
	for (int i = 0; i < 2; i++) {
		dh_clockset_free(&team->round[i]);
		dh_clockset_free(&team->tasks[i]);
	}
	dh_clockset_free(&team->end);
	dh_clockset_free(&team->ordered);
	dh_omp_doacross_free(team);
	dh_vec_free(&team->patterns);
	dh_mem_free(team, sizeof *team);
}

void dh_omp_team_end(struct dh_omp_team *team)
{
	struct dh_self *t = dh_omp_self();
	if (!team || !t)
		return;
	dh_enter_runtime(t);
	dh_lock(&team->lock);
	dh_omp_learn(t, &team->end);
	dh_omp_learn(t, &team->tasks[0]);
	dh_omp_learn(t, &team->tasks[1]);
	dh_unlock(&team->lock);
	for (size_t i = 0; i < team->patterns.len; i++)
		dh_omp_task_unref(team->patterns.at[i]);
	team->patterns.len = 0;
	dh_omp_team_unref(team);
	dh_leave_runtime(t);
}

/* ---- implicit tasks ---- */

/* From the next time frame on, the thread goes by another name. */
static void rename_self(struct dh_self *t, uint32_t who)
{
	uint32_t slot = (uint32_t)(t->epoch >> DH_SLOT_SHIFT);
	if (t->state->who == who || !slot)
		return;
	dh_thread_tick(t);
	slot = (uint32_t)(t->epoch >> DH_SLOT_SHIFT);
	t->state->who = who;
	dh_slot_rename(slot, t->vc[slot], who, dh_omp_host(t));
}

void dh_omp_implicit_begin(struct dh_omp_team *team, unsigned number)
{
	struct dh_self *t = dh_omp_self();
	if (!team || !t)
		return;
	dh_enter_runtime(t);
	struct dh_omp_task *k = implicit_new(team);
	k->guest = present && !present->implicit; /* of a task that began a region */
	k->who = t->state->who;
	dh_omp_start_learn(t, &team->start);
	dh_saw(t, DH_SEEN_RECEIVE, (uintptr_t)team, 0);
	rename_self(t, dh_omp_name_region(team->site, number, team->who));
	present = k;
	dh_leave_runtime(t);
}

static void finish(struct dh_omp_task *k, struct dh_self *t)
{
	k->finished = true;
	dh_lock(&k->team->lock);
	dh_omp_tell(&k->team->end, t);
	dh_unlock(&k->team->lock);
	dh_thread_tick(t);
}

void dh_omp_implicit_finish(void)
{
	struct dh_self *t = dh_omp_self();
	if (!t || !present || !present->implicit || present->finished)
		return;
	dh_enter_runtime(t);
	finish(present, t);
	dh_leave_runtime(t);
}

void dh_omp_implicit_end(void)
{
	struct dh_self *t = dh_omp_self();
	struct dh_omp_task *k = present;
	if (!t || !k || !k->implicit)
		return;
	dh_enter_runtime(t);
	if (!k->finished)
		finish(k, t);
	rename_self(t, k->who);
	dh_strands_rest();
	present = k->below;
	dh_omp_task_unref(k);
	dh_spare_rest();
	dh_leave_runtime(t);
}

/* ---- barriers ---- */

/* The present implicit task, if the thread is in one. */
static struct dh_omp_task *at_barrier(struct dh_self *t)
{
	return t && present && present->implicit ? present : NULL;
}

/* The thread adds to what the team keeps at c. */
static void tell_team(struct dh_self *t, struct dh_omp_team *team, struct dh_clockset *c)
{
	dh_enter_runtime(t);
	dh_lock(&team->lock);
	dh_omp_tell(c, t);
	dh_unlock(&team->lock);
	dh_thread_tick(t);
	dh_leave_runtime(t);
}

void dh_omp_barrier_arrive(void)
{
	struct dh_self *t = dh_omp_self();
	struct dh_omp_task *k = at_barrier(t);
	if (k)
		tell_team(t, k->team, &k->team->round[k->round % 2]);
}

void dh_omp_barrier_leave(void)
{
	struct dh_self *t = dh_omp_self();
	struct dh_omp_task *k = at_barrier(t);
	if (!k)
		return;
	dh_enter_runtime(t);
	dh_lock(&k->team->lock);
	dh_omp_learn(t, &k->team->round[k->round % 2]);
	dh_omp_learn(t, &k->team->tasks[k->round % 2]);
	dh_unlock(&k->team->lock);
	k->round++;
	dh_leave_runtime(t);
}

/* ---- ordered ---- */

void dh_omp_ordered_begin(void)
{
	struct dh_self *t = dh_omp_self();
	if (!t || !present)
		return;
	dh_enter_runtime(t);
	dh_lock(&present->team->lock);
	dh_omp_learn(t, &present->team->ordered);
	dh_unlock(&present->team->lock);
	dh_leave_runtime(t);
}

void dh_omp_ordered_end(void)
{
	struct dh_self *t = dh_omp_self();
	if (t && present)
		tell_team(t, present->team, &present->team->ordered);
}
