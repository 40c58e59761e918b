/* SPDX-License-Identifier: MIT */
/* Telling the engine; see observer.h. */
#include "runtime/observer.h"
#include "runtime/access.h"
#include "runtime/intercept/watch.h"
#include "runtime/missing/reach.h"

const struct dh_observer *dh_observer;

DH_COLD void dh_observe_sync(struct dh_self *t, enum dh_observed what, uintptr_t object,
			     uint64_t pc)
{
	if (!dh_observer->sync)
		return;
	dh_enter_runtime(t);
	dh_reach_settle();
	dh_observer->sync(t, what, object, pc);
	dh_leave_runtime(t);
	dh_leave_no_arguments();
}

void dh_observe_access(uintptr_t addr, size_t size, unsigned flags, uint64_t pc)
{
	struct dh_self *t = dh_thread_base();
	dh_enter_runtime(t);
	if (flags & DH_ACCESS_WRITE)
		dh_reach_written(addr, size);
	dh_observer->access(t, addr, size, flags, pc);
	dh_leave_runtime(t);
	dh_leave_no_arguments();
}

DH_NOINLINE void dh_access_told(uintptr_t addr, unsigned how, uint64_t pc,
				struct dh_cell *c)
{
	struct dh_self *t = dh_thread_base();
	if (DH_UNLIKELY(!t->now || t->inside))
		return;
	if (how & DH_GRANULE)
		addr &= -(uintptr_t)DH_GRANULE;
	if (!dh_observer)
		dh_access_slow(addr, dh_mask_of(addr, how & DH_TOLD_SIZE),
			       how >> DH_TOLD_FLAGS, pc);
	else if (dh_observer->first)
		dh_observer->first(t, addr, how, pc, c);
	else
		dh_observe_access(addr, how & DH_TOLD_SIZE, how >> DH_TOLD_FLAGS, pc);
}

DH_COLD void dh_observe_atomic(enum dh_observed_atomic what, uintptr_t addr,
			       unsigned size, int order, uint64_t pc)
{
	struct dh_self *t = dh_watched();
	if (!t || !dh_observer->atomic)
		return;
	dh_enter_runtime(t);
	dh_reach_settle();
	dh_observer->atomic(t, what, addr, size, order, pc);
	dh_leave_runtime(t);
}

/* The heap is `inside` already; a thread without state allocates too. */
DH_COLD void dh_observe_alloc(struct dh_self *t, uintptr_t base, size_t size,
			      uint32_t site)
{
	dh_reach_written(base, size);
	if (dh_observer->alloc && t->state)
		dh_observer->alloc(t, base, size, site);
	else
		dh_observe_fresh(base, size);
}

DH_COLD void dh_observe_free(struct dh_self *t, uintptr_t base, size_t size,
			     uint32_t site, uint64_t pc)
{
	if (dh_observer->free && t->state)
		dh_observer->free(t, base, size, site, t->now && t->inside == 1 ? pc : 0);
}

DH_COLD void dh_observe_unit(uintptr_t addr, size_t size, size_t unit)
{
	struct dh_self *t = dh_thread_self();
	if (!dh_observer || !dh_observer->unit || !t->state || !size)
		return;
	dh_enter_runtime(t);
	dh_observer->unit(t, addr, size, unit);
	dh_leave_runtime(t);
}

DH_COLD void dh_observe_detect(unsigned how, uintptr_t addr, size_t size)
{
	struct dh_self *t = dh_thread_self();
	if (!dh_observer || !dh_observer->detect || !t->state)
		return;
	dh_enter_runtime(t);
	dh_observer->detect(t, how, addr, size);
	dh_leave_runtime(t);
}

DH_COLD void dh_observe_forget(uintptr_t addr, size_t size)
{
	if (!dh_observer->forget || !size)
		return;
	dh_enter_runtime(dh_thread_self());
	dh_observer->forget(addr, size);
	dh_leave_runtime(dh_thread_self());
}

DH_COLD bool dh_observe_unknown(uintptr_t granule)
{
	struct dh_self *t = dh_thread_self();
	if (!dh_observer->unknown || !t->state)
		return false;
	dh_enter_runtime(t);
	bool unknown = dh_observer->unknown(t, granule);
	dh_leave_runtime(t);
	return unknown;
}

DH_COLD void dh_observe_fresh(uintptr_t addr, size_t size)
{
	dh_reach_written(addr, size);
	if (!dh_observer->fresh)
		return;
	dh_enter_runtime(dh_thread_self());
	dh_observer->fresh(addr, size);
	dh_leave_runtime(dh_thread_self());
}
