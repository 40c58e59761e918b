/* SPDX-License-Identifier: MIT */
/* See gate.h. Variables share some hundred locks, by number, a cache line each. */
#include "runtime/host/gate.h"
#include "runtime/host/host.h"

enum {
	STRIPES = 512,
	LINE = 64,
	PATIENCE = 64, /* turns of waiting: who is in runs, and is out by then */
	REST = 4096,   /* times that somebody is alone */
};

static struct {
	struct dh_brief lock;
	char pad[LINE - sizeof(struct dh_brief)];
} stripes[STRIPES] __attribute__((aligned(LINE)));

/* Puts the guest where the next one who closes the gate finds it. */
static void enlist(struct dh_guest *g)
{
	g->beside = __atomic_load_n(&dh_host.visitors, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&dh_host.visitors, &g->beside, g, false,
					    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		;
	g->listed = true;
}

static bool is_closed(void)
{
	return __atomic_load_n(&dh_host.alone, __ATOMIC_SEQ_CST);
}

/* The word and the looks are in the one order of all. Who closes does so and then takes
 * the list: a guest that is not on it yet has still to look again. */
static bool try_enter(struct dh_guest *g)
{
	__atomic_store_n(&g->shares, 1, __ATOMIC_SEQ_CST);
	if (DH_LIKELY(!is_closed())) {
		if (DH_LIKELY(g->listed))
			return true;
		enlist(g);
		if (!is_closed())
			return true;
	}
	__atomic_store_n(&g->shares, 0, __ATOMIC_RELEASE);
	return false;
}

bool dh_gate_enter(struct dh_guest *g)
{
	while (!__atomic_load_n(&dh_host.resting, __ATOMIC_RELAXED)) {
		if (DH_LIKELY(try_enter(g)))
			return true;
		dh_lock(&dh_host.lock);
		dh_unlock(&dh_host.lock);
	}
	return false;
}

void dh_gate_leave(struct dh_guest *g)
{
	/* Release: what was done in the gate is seen by who finds it empty. */
	__atomic_store_n(&g->shares, 0, __ATOMIC_RELEASE);
}

static void wait_for(const struct dh_guest *g)
{
	uint64_t waited = 0;
	for (unsigned turns = 0; __atomic_load_n(&g->shares, __ATOMIC_SEQ_CST); turns++) {
		if (turns == PATIENCE)
			__atomic_store_n(&dh_host.resting, REST, __ATOMIC_RELAXED);
		dh_wait_briefly(&waited);
	}
}

/* A gate that rests is closed already; those who have come since did not get in. */
void dh_gate_close(void)
{
	dh_lock(&dh_host.lock);
	if (!dh_host.shared)
		return;
	if (!dh_host.alone)
		__atomic_store_n(&dh_host.alone, 1, __ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&dh_host.visitors, __ATOMIC_SEQ_CST))
		return;
	struct dh_guest *g =
	    __atomic_exchange_n(&dh_host.visitors, NULL, __ATOMIC_SEQ_CST);
	for (struct dh_guest *next; g; g = next) {
		next = g->beside;
		wait_for(g);
		g->listed = false;
	}
}

void dh_gate_open(void)
{
	uint32_t rest = dh_host.resting ? dh_host.resting - 1 : 0;
	__atomic_store_n(&dh_host.resting, rest, __ATOMIC_RELAXED);
	/* Release: who goes in sees what was changed. */
	if (!rest)
		__atomic_store_n(&dh_host.alone, 0, __ATOMIC_RELEASE);
	dh_unlock(&dh_host.lock);
}

void dh_gate_take(uint32_t var)
{
	dh_brief_lock(&stripes[var % STRIPES].lock);
}

void dh_gate_give(uint32_t var)
{
	dh_brief_unlock(&stripes[var % STRIPES].lock);
}
