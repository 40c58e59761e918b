/* SPDX-License-Identifier: MIT */
/* See names.h. Tasks are looked up without a lock: a million of them are made at one
 * site. */
#include "runtime/openmp/names.h"
#include "base/map.h"
#include "base/stable.h"

static struct dh_lock lock;
DH_LOCK_AROUND_FORK(lock, DH_FORK_OUTER);
static struct dh_stable tasks; /* uint32_t by site: the id, or 0; written under lock */
static struct dh_map regions;  /* site and number to id; under lock */

static uint32_t record(enum dh_thread_kind kind, uint32_t site, uint32_t parent)
{
	struct dh_thread_info *info = dh_thread_record(kind, site);
	info->parent = parent;
	return info->id;
}

uint32_t dh_omp_name_task(uint32_t site, uint32_t parent)
{
	uint32_t *place = dh_stable_make(&tasks, site, sizeof *place);
	uint32_t id = __atomic_load_n(place, __ATOMIC_ACQUIRE);
	if (DH_LIKELY(id))
		return id;
	dh_lock(&lock);
	if (!(id = *place)) {
		id = record(DH_THREAD_TASK, site, parent);
		__atomic_store_n(place, id, __ATOMIC_RELEASE);
	}
	dh_unlock(&lock);
	return id;
}

uint32_t dh_omp_name_region(uint32_t site, unsigned number, uint32_t parent)
{
	bool fresh;
	dh_lock(&lock);
	uint64_t *place = dh_map_put(&regions, (uint64_t)number << 32 | site, &fresh);
	if (fresh) {
		*place = record(DH_THREAD_REGION, site, parent);
		dh_thread_by_id((uint32_t)*place)->number = number;
	}
	uint32_t id = (uint32_t)*place;
	dh_unlock(&lock);
	return id;
}
