/* SPDX-License-Identifier: MIT */
/* What a task waits for: its children, groups, dependences; see openmp.h. */
#include "base/mem.h"
#include "runtime/openmp/model.h"

static void learn_waited(struct dh_omp_task *k, const struct dh_clockset *c,
			 struct dh_self *t)
{
	uint32_t before = t->state->version;
	dh_omp_learn(t, c);
	if (k->strand && before == (k->waited ? k->waited : k->strand->based))
		k->waited = t->state->version;
}

void dh_omp_taskwait(void)
{
	struct dh_self *t = dh_omp_self();
	struct dh_omp_task *k = dh_omp_task_present();
	if (!t || !k || k->parts) /* what has made no task waits for none */
		return;
	dh_enter_runtime(t);
	dh_lock(&k->team->lock);
	learn_waited(k, &k->children, t);
	dh_clockset_clear(&k->children);
	dh_unlock(&k->team->lock);
	dh_family_drop(&k->brood);
	dh_leave_runtime(t);
}

void dh_omp_taskwait_depend(const struct dh_omp_depend *depend, size_t depends)
{
	struct dh_self *t = dh_omp_self();
	struct dh_omp_task *k = dh_omp_task_present();
	if (!t || !k || k->parts || !k->places)
		return;
	dh_enter_runtime(t);
	dh_lock(&k->team->lock);
	dh_omp_places_learn(k->places, t, depend, depends);
	dh_unlock(&k->team->lock);
	dh_leave_runtime(t);
}

void dh_omp_group_begin(void)
{
	struct dh_self *t = dh_omp_self();
	if (!t)
		return;
	dh_enter_runtime(t);
	struct dh_omp_task *k = dh_omp_present(t);
	struct dh_omp_group *g = dh_mem_alloc(sizeof *g);
	g->outer = k->group;
	g->name = dh_thread_new_name();
	k->group = g;
	dh_family_drop(&k->brood);
	dh_leave_runtime(t);
}

void dh_omp_group_end(void)
{
	struct dh_self *t = dh_omp_self();
	struct dh_omp_task *k = dh_omp_task_present();
	if (!t || !k || !k->group)
		return;
	dh_enter_runtime(t);
	struct dh_omp_group *g = k->group;
	dh_lock(&k->team->lock);
	learn_waited(k, &g->ends, t);
	dh_unlock(&k->team->lock);
	k->group = g->outer;
	dh_family_drop(&k->brood);
	dh_clockset_free(&g->ends);
	dh_mem_free(g, sizeof *g);
	dh_leave_runtime(t);
}
