/* SPDX-License-Identifier: MIT */
/*
 * Iterations that wait for iterations; see openmp.h. A team has PLACES clocks for all of
 * them. Iterations that share one by chance are taken for ordered: a race may go unseen,
 * none is made up.
 */
#include "base/mem.h"
#include "runtime/openmp/model.h"

enum { PLACES = 1 << 10 };

static size_t place_of(const uint64_t *at, size_t count)
{
	uint64_t mixed = 0;
	for (size_t i = 0; i < count; i++)
		mixed = dh_mix(mixed * 31 + at[i]);
	return count == 1 ? at[0] % PLACES : mixed % PLACES;
}

void dh_omp_doacross_post(const uint64_t *at, size_t count)
{
	struct dh_self *t = dh_omp_self();
	const struct dh_omp_task *k = dh_omp_task_present();
	if (!t || !k)
		return;
	dh_enter_runtime(t);
	dh_lock(&k->team->lock);
	if (!k->team->across)
		k->team->across = dh_mem_alloc(PLACES * sizeof *k->team->across);
	dh_omp_tell(&k->team->across[place_of(at, count)], t);
	dh_unlock(&k->team->lock);
	dh_thread_tick(t);
	dh_leave_runtime(t);
}

void dh_omp_doacross_wait(const uint64_t *at, size_t count)
{
	struct dh_self *t = dh_omp_self();
	const struct dh_omp_task *k = dh_omp_task_present();
	if (!t || !k)
		return;
	dh_enter_runtime(t);
	dh_lock(&k->team->lock);
	if (k->team->across)
		dh_omp_learn(t, &k->team->across[place_of(at, count)]);
	dh_unlock(&k->team->lock);
	dh_leave_runtime(t);
}

void dh_omp_doacross_free(struct dh_omp_team *team)
{
	for (size_t i = 0; team->across && i < PLACES; i++)
		dh_clockset_free(&team->across[i]);
	dh_mem_free(team->across, PLACES * sizeof *team->across);
}
