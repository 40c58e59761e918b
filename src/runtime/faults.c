/* SPDX-License-Identifier: MIT */
/* See faults.h. */
#define _GNU_SOURCE
#include "runtime/faults.h"
#include <errno.h>
#include <signal.h>
#include <sys/uio.h>
#include "base/kernel.h"
#include "base/mem.h"
#include "report/wire.h"
#include "runtime/access.h"
#include "runtime/intercept/signal.h"
#include "runtime/observer.h"
#include "runtime/race.h"
#include "runtime/report.h"

enum { PAGE = 4096 };

/* ---- what is held back ---- */

static bool handles_faults(void)
{
	return __atomic_load_n(&dh_actions[SIGSEGV].function, __ATOMIC_RELAXED) ||
	       __atomic_load_n(&dh_actions[SIGBUS].function, __ATOMIC_RELAXED);
}

/* Memory that cannot be read cannot be written either. Of what can only not be written we
 * do not know; nor of any where the kernel does not let us ask. */
static bool readable(uintptr_t address)
{
	char byte;
	struct iovec to = {&byte, 1}, from = {(void *)address, 1};
	return DH_KERNEL_6(__NR_process_vm_readv, DH_KERNEL_0(__NR_getpid), &to, 1, &from,
			   1, 0) != -EFAULT;
}

bool dh_fault_readable(uintptr_t address)
{
	return !handles_faults() || readable(address);
}

bool dh_fault_ahead(struct dh_self *t, const struct dh_race_facts *f)
{
	struct dh_thread_state *s = t->state;
	if ((f->second.flags & DH_WIRE_FREE) || dh_fault_readable(f->address))
		return false;
	if (s->held_back && s->held_back->second.site == f->second.site)
		return true; /* another byte of the same access */
	dh_fault_past(t);
	s->held_back = dh_mem_alloc(sizeof *f);
	*s->held_back = *f;
	return true;
}

static void drop(struct dh_thread_state *s)
{
	if (s->held_back)
		dh_mem_free(s->held_back, sizeof *s->held_back);
	s->held_back = NULL;
}

void dh_fault_past(struct dh_self *t)
{
	if (!t->state || !t->state->held_back)
		return;
	struct dh_race_facts f = *t->state->held_back;
	dh_enter_runtime(t);
	drop(t->state);
	dh_race_tell(t, &f);
	dh_leave_runtime(t);
}

/* ---- what was not made ---- */

/* False where the record is of something else than the access. */
static bool forget(const struct dh_self *t, dh_record *at)
{
	dh_record have = DH_LOAD(at);
	return !have || (dh_record_own(have, t->now) && DH_SWAP(at, have, 0));
}

/* A range that was told of before it was accessed goes on from the address. */
void dh_fault_left(struct dh_self *t, uintptr_t address)
{
	drop(t->state);
	if (dh_observer || !t->vc)
		return;
	uintptr_t at = address & ~(uintptr_t)(DH_GRANULE - 1);
	for (uintptr_t end = (at | (PAGE - 1)) + 1; at < end; at += DH_GRANULE) {
		struct dh_cell *c = dh_shadow_find(at, false);
		if (!c || !(DH_LOAD(&c->write) | DH_LOAD(&c->read)) ||
		    !forget(t, &c->write) || !forget(t, &c->read))
			return;
	}
}
