/* SPDX-License-Identifier: MIT */
/*
 * Suspending detection and switching it off (MultiRace, section 10.3), for all threads,
 * for one, or for memory within one; see host.h and include/deadheat.h.
 *
 * Suspended does not mean silent: then every access is looked at, not only the first of a
 * frame, so that a known race hides no other one behind it; what is found does not count.
 */
#include "runtime/host/host.h"

static void count(uint32_t *n, bool end)
{
	if (!end)
		__atomic_fetch_add(n, 1, __ATOMIC_RELAXED);
	else if (__atomic_load_n(n, __ATOMIC_RELAXED))
		__atomic_fetch_sub(n, 1, __ATOMIC_RELAXED);
}

static void end_exempt(struct dh_guest *g, struct dh_exempt e)
{
	for (size_t i = g->exempt.len; i > 0; i--) {
		struct dh_exempt *x = &g->exempt.at[i - 1];
		if (x->start != e.start || x->size != e.size || x->off != e.off)
			continue;
		*x = dh_vec_pop(&g->exempt);
		return;
	}
}

void dh_host_detect(struct dh_self *t, unsigned how, uintptr_t addr, size_t size)
{
	struct dh_guest *g = dh_guest_of(t);
	bool off = how & DH_DETECT_OFF, end = how & DH_DETECT_END;
	struct dh_exempt e = {addr, size, off};
	if (how & DH_DETECT_ALL)
		count(off ? &dh_host.off : &dh_host.suspended, end);
	else if (size == 0)
		count(off ? &g->off : &g->suspended, end);
	else if (end)
		end_exempt(g, e);
	else
		dh_vec_push(&g->exempt, e);
	g->repeats.frame++; /* nothing that follows is a repeat of what came before */
}

static enum dh_detection in_exempt(const struct dh_guest *g, uintptr_t addr, size_t size)
{
	enum dh_detection found = DH_DETECTS;
	for (size_t i = 0; i < g->exempt.len; i++) {
		const struct dh_exempt *x = &g->exempt.at[i];
		if (addr + size <= x->start || addr >= x->start + x->size)
			continue;
		if (x->off)
			return DH_DETECTS_NOTHING;
		found = DH_DETECTS_LENIENTLY;
	}
	return found;
}

enum dh_detection dh_guest_detects(const struct dh_guest *g, uintptr_t addr, size_t size)
{
	if (__atomic_load_n(&dh_host.off, __ATOMIC_RELAXED) || g->off)
		return DH_DETECTS_NOTHING;
	enum dh_detection here = g->exempt.len ? in_exempt(g, addr, size) : DH_DETECTS;
	if (here == DH_DETECTS &&
	    (__atomic_load_n(&dh_host.suspended, __ATOMIC_RELAXED) || g->suspended))
		return DH_DETECTS_LENIENTLY;
	return here;
}
