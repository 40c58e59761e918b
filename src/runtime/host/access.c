/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes, and the life of memory; see host.h.
 *
 * Atomic accesses are no reads and writes to an engine, whose events know plain ones and
 * volatiles only: they come as the latter (atomics.c). A race of an atomic access with a
 * plain one is therefore not seen.
 */
#include "runtime/access.h"
#include "runtime/flags.h"
#include "runtime/host/host.h"

enum { BATCH = 256, WHOLE = 0xff }; /* granules for which the lock is taken at a time */

static uint32_t site_of(struct dh_self *t, uint64_t pc)
{
	uint32_t site = dh_site_at_hand(t, pc);
	return site ? site : dh_thread_site(t, pc);
}

/* Brings the guest's frame up to the era. */
static void catch_up(struct dh_guest *g)
{
	uint32_t era = __atomic_load_n(&dh_host.era, __ATOMIC_ACQUIRE);
	if (DH_UNLIKELY(g->repeats.era != era)) {
		g->repeats.era = era;
		g->repeats.frame++;
	}
}

static void note_repeat(struct dh_guest *g, uintptr_t granule, unsigned mask, bool write)
{
	if (dh_host.repeats && !g->lenient)
		dh_repeat_note(&g->repeats, granule, mask, write, !g->reading);
}

/* In the gate. False where one has to be alone for it; then some of its variables may
 * have been accessed, and are so again, in the same frame. */
static bool touch_shared(struct dh_guest *g, uintptr_t granule, unsigned mask, bool write,
			 uint32_t site)
{
	uint32_t vars[DH_BLOCKS];
	unsigned count = dh_vars_find(&dh_host.vars, &g->near, granule, mask, vars);
	for (unsigned i = 0; i < count; i++)
		if (!dh_host_touch(g, vars[i], write, site))
			return false;
	if (count)
		note_repeat(g, granule, mask, write);
	return count;
}

/* Alone. */
static void touch(struct dh_guest *g, uintptr_t granule, unsigned mask, bool write,
		  uint32_t site)
{
	uint32_t vars[DH_BLOCKS];
	unsigned count = dh_vars_of(&dh_host, g->id, granule, mask, vars);
	for (unsigned i = 0; i < count; i++)
		if (!dh_flags.stop_after_race || !dh_host.vars.at.at[vars[i]].reported)
			dh_host_feed(g->id, write ? DH_WRITE : DH_READ, vars[i], site);
	note_repeat(g, granule, mask, write);
}

static void touch_one(struct dh_self *t, struct dh_guest *g, uintptr_t granule,
		      unsigned mask, bool write, uint64_t pc)
{
	uint32_t site = site_of(t, pc);
	if (dh_host_share(g)) {
		bool done = touch_shared(g, granule, mask, write, site);
		dh_host_unshare(t, g);
		if (done)
			return;
	}
	dh_host_enter();
	touch(g, granule, mask, write, site);
	dh_host_leave(t);
}

/* Touches up to BATCH granules, as far as that can be done in the gate or (alone) all of
 * them; returns where it stopped. */
static uintptr_t touch_batch(struct dh_guest *g, uintptr_t granule, uintptr_t addr,
			     uintptr_t end, bool write, uint32_t site, bool alone)
{
	for (unsigned i = 0; i < BATCH && granule < end; i++, granule += 8) {
		unsigned mask = dh_vars_mask(granule, addr, end);
		if (dh_is_repeat(&g->repeats, granule, mask, write))
			g->repeats.count++;
		else if (alone)
			touch(g, granule, mask, write, site);
		else if (!touch_shared(g, granule, mask, write, site))
			break;
	}
	return granule;
}

static void touch_range(struct dh_self *t, struct dh_guest *g, uintptr_t addr,
			uintptr_t end, bool write, uint64_t pc)
{
	uint32_t site = site_of(t, pc);
	for (uintptr_t granule = addr & ~(uintptr_t)7, before; granule < end;) {
		before = granule;
		if (dh_host_share(g)) {
			granule = touch_batch(g, granule, addr, end, write, site, false);
			dh_host_unshare(t, g);
		}
		if (granule != before)
			continue;
		dh_host_enter();
		granule = touch_batch(g, granule, addr, end, write, site, true);
		dh_host_leave(t);
	}
}

/* While detection is suspended: repeats count too, and are no reason to pass by later. */
static DH_COLD void touch_leniently(struct dh_self *t, struct dh_guest *g, uintptr_t addr,
				    uintptr_t end, bool write, uint64_t pc)
{
	uint32_t site = site_of(t, pc);
	dh_host_enter();
	g->lenient = true;
	for (uintptr_t granule = addr & ~(uintptr_t)7; granule < end; granule += 8)
		touch(g, granule, dh_vars_mask(granule, addr, end), write, site);
	g->lenient = false;
	dh_host_leave(t);
}

/* What is not to be judged of a range is no more than the thread has said. */
static DH_COLD void by_granules(struct dh_self *t, uintptr_t addr, uintptr_t end,
				unsigned flags, uint64_t pc)
{
	for (uintptr_t stop; addr < end; addr = stop) {
		stop = DH_MIN(end, (addr | 7) + 1);
		dh_host_access(t, addr, stop - addr, flags, pc);
	}
}

void dh_host_access(struct dh_self *t, uintptr_t addr, size_t size, unsigned flags,
		    uint64_t pc)
{
	struct dh_guest *g = dh_guest_of(t);
	bool write = flags & DH_ACCESS_WRITE;
	uintptr_t granule = addr & ~(uintptr_t)7;
	if (flags & DH_ACCESS_ATOMIC)
		return;
	t->dirty = true;
	catch_up(g);
	if (DH_UNLIKELY(g->exempt.len != 0) && addr + size > granule + 8) {
		by_granules(t, addr, addr + size, flags, pc);
		return;
	}
	switch (dh_guest_detects(g, addr, size)) {
	case DH_DETECTS:
		break;
	case DH_DETECTS_LENIENTLY:
		touch_leniently(t, g, addr, addr + size, write, pc);
		return;
	case DH_DETECTS_NOTHING:
		return;
	}
	if (DH_UNLIKELY(addr + size > granule + 8)) {
		touch_range(t, g, addr, addr + size, write, pc);
		return;
	}
	unsigned mask = dh_vars_mask(granule, addr, addr + size);
	if (dh_is_repeat(&g->repeats, granule, mask, write))
		g->repeats.count++;
	else
		touch_one(t, g, granule, mask, write, pc);
}

/* ---- the life of memory ---- */

void dh_host_alloc(struct dh_self *t, uintptr_t base, size_t size, uint32_t site)
{
	(void)site;
	if (!size)
		return;
	struct dh_guest *g = dh_guest_of(t);
	dh_host_enter();
	dh_vars_clear(&dh_host, g->id, base, (size + 7) & ~(size_t)7);
	if (dh_host.vars.units.len)
		dh_vars_forget_units(&dh_host, base, (size + 7) & ~(size_t)7);
	dh_host_leave(t);
}

struct ending {
	struct dh_guest *guest;
	uint32_t site;
};

static void end_granule(struct dh_host *h, uintptr_t granule, unsigned mask,
			void *context)
{
	(void)h, (void)mask;
	const struct ending *e = context;
	touch(e->guest, granule, WHOLE, true, e->site);
}

/* A free is a write of all that was used, and of the beginning: what comes later, other
 * than the next owner, finds it. Of the rest of a large block nothing is kept. */
void dh_host_free(struct dh_self *t, uintptr_t base, size_t size, uint32_t site,
		  uint64_t pc)
{
	if (!pc || !size)
		return;
	struct dh_guest *g = dh_guest_of(t);
	struct ending e = {g, site};
	size = (size + 7) & ~(size_t)7;
	size_t marked = DH_MIN(size, (size_t)DH_END_MARKED);
	enum dh_detection how = dh_guest_detects(g, base, size);
	if (how == DH_DETECTS_NOTHING)
		return;
	t->dirty = true;
	catch_up(g);
	dh_host_enter();
	g->freeing = true;
	g->lenient = how == DH_DETECTS_LENIENTLY;
	dh_vars_each(&dh_host, base, size, end_granule, &e);
	if (marked < size)
		dh_vars_clear(&dh_host, g->id, base + marked, size - marked);
	uint32_t tomb = dh_vars_bury(&dh_host, base, marked);
	if (tomb != UINT32_MAX)
		dh_host_feed(g->id, DH_WRITE, tomb, site);
	g->freeing = g->lenient = false;
	dh_host_leave(t);
}

void dh_host_fresh(uintptr_t addr, size_t size)
{
	struct dh_self *t = dh_thread_self();
	if (!size)
		return;
	uint32_t own = t->state ? dh_guest_of(t)->id : 0;
	dh_host_enter();
	/* For a thread without state one that has not ended speaks. */
	const struct dh_guest *any = dh_host.guests;
	dh_vars_clear(&dh_host, t->state || !any ? own : any->id, addr, size);
	dh_host_leave(t);
}

void dh_host_forget(uintptr_t addr, size_t size)
{
	dh_host_enter();
	dh_objects_forget(&dh_host.objects, addr, size);
	dh_host_leave(dh_thread_self());
}

void dh_host_unit(struct dh_self *t, uintptr_t addr, size_t size, size_t unit)
{
	struct dh_guest *g = dh_guest_of(t);
	dh_host_enter();
	dh_vars_unit(&dh_host, g->id, addr, size, unit);
	dh_host_leave(t);
}
