/* SPDX-License-Identifier: MIT */
/*
 * A few threads of the runtime that are played by one (their hot parts are swapped in and
 * out), and a naive oracle that keeps every access to every byte.
 *
 * Claims: (1) what is reported is a pair of conflicting, unordered accesses that share a
 * byte, with the right sites and bytes; (2) an access that is the first on one of its
 * bytes to race is reported.
 *
 * In some worlds one more thread is a lane (openmp/lane.h): it runs tasks that thread 0
 * makes, one after the other, in one slot. To the oracle each is a thread.
 *
 * A test is one file: what is static here is its own.
 */
#ifndef TESTS_RUNTIME_WORLD_H
#define TESTS_RUNTIME_WORLD_H

#include "runtime/atomic_access.h"
#include "runtime/cells_wide.h"
#include "runtime/race.h"
#include "runtime/sync.h"
#include "../unit/dice.h"
#include "steps.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { THREADS = 5, LANE = THREADS, ROOM = 32, TASKS = 24, ALL = THREADS + TASKS };
enum { REPORTS = 1 << 15 };

/* The bytes of the world, as many as a test says. */
#ifndef WORLD_BYTES
#define WORLD_BYTES 4096
#endif

struct step {
	int thread;
	unsigned from, to; /* bytes */
	bool write, atomic;
	uint64_t pc;
};

/* A step as one byte has it; the clock is the thread's own, as the oracle has it. */
struct touch {
	int thread;
	uint32_t clock;
	bool write, atomic;
	uint64_t pc;
};

struct history {
	struct touch *at;
	unsigned count, room;
	unsigned before; /* those of what is being told come after these */
	bool racy;	 /* the oracle has found a race before */
};

/* Places of the program, and bytes of a granule. */
struct race_report {
	unsigned granule;
	uint64_t pc, other_pc;
	unsigned mask, other_mask;
};

static struct world {
	struct dh_self selves[THREADS + 1];
	uint32_t clock[ALL][ALL]; /* the oracle's clocks */
	uintptr_t base;
	bool lanes;
	bool frugal;  /* threads make no sets */
	bool sole;    /* each thinks that it is the only one: they are, in turn */
	int tasks;    /* that have begun */
	uint32_t low; /* clock of the last one; 0: the next has a lane of its own */
	unsigned low_byte, high_byte; /* of what is being told */
	unsigned report_count;
} world;

static struct race_report reports[REPORTS];
static struct history histories[WORLD_BYTES];
static _Alignas(4096) uint8_t memory[WORLD_BYTES];

void dh_race_found(struct dh_self *t, uintptr_t granule, unsigned mask, dh_record mine,
		   unsigned flags, dh_record other, bool other_write)
{
	(void)t, (void)flags, (void)other_write;
	if (world.report_count == REPORTS)
		fail_msg("too many reports");
	reports[world.report_count++] = (struct race_report){
	    (unsigned)(granule - world.base),
	    dh_site_pc(dh_contexts, dh_record_site(mine)),
	    dh_site_pc(dh_contexts, dh_record_site(other)), mask, dh_record_mask(other)};
}

static void become(int thread)
{
	dh_self = world.selves[thread];
	dh_self.sole = world.sole;
}

static void leave(int thread)
{
	world.selves[thread] = dh_self;
}

/* ---- the oracle ---- */

static void forget_histories(void)
{
	for (unsigned b = 0; b < WORLD_BYTES; b++)
		histories[b].count = histories[b].before = histories[b].racy = 0;
}

static bool races(const struct touch *old, const struct touch *now)
{
	return old->thread != now->thread && (old->write || now->write) &&
	       !(old->atomic && now->atomic) &&
	       old->clock > world.clock[now->thread][old->thread];
}

/* Has an atomic write come over this byte since? Then the older access need not be held
 * against anybody where sets do not pay (access.c says why). */
static bool overwritten(const struct history *h, const struct touch *old)
{
	if (!world.frugal)
		return false;
	for (const struct touch *s = old + 1; s < h->at + h->before; s++)
		if (s->write && s->atomic)
			return true;
	return false;
}

/* What is about to be told begins. */
static void begin_telling(void)
{
	world.report_count = 0;
	world.low_byte = WORLD_BYTES;
	world.high_byte = 0;
}

static void touch_byte(struct history *h, struct touch new)
{
	for (unsigned i = h->before; i < h->count; i++)
		if (h->at[i].pc == new.pc && h->at[i].write == new.write &&
		    h->at[i].atomic == new.atomic)
			return;
	if (h->count == h->room) {
		h->room = h->room ? h->room * 2 : 8;
		h->at = realloc(h->at, h->room * sizeof new);
		assert_non_null(h->at);
	}
	h->at[h->count++] = new;
}

/* The oracle is told one of its accesses; all are of one thread. */
static void tell_oracle(const struct step *s)
{
	const struct touch new = {s->thread, world.clock[s->thread][s->thread], s->write,
				  s->atomic, s->pc};
	world.low_byte = DH_MIN(world.low_byte, s->from);
	world.high_byte = DH_MAX(world.high_byte, s->to);
	for (unsigned b = s->from; b < s->to; b++)
		touch_byte(&histories[b], new);
}

/* Is there a race of the accesses to this byte? first: one that has to be reported. */
static bool byte_races(const struct history *h, bool first)
{
	if (first && h->racy)
		return false;
	for (unsigned n = h->before; n < h->count; n++)
		for (unsigned i = 0; i < h->before; i++)
			if (races(&h->at[i], &h->at[n]) &&
			    !(first && overwritten(h, &h->at[i])))
				return true;
	return false;
}

static bool byte_is_reported(unsigned byte)
{
	for (unsigned i = 0; i < world.report_count; i++)
		if (reports[i].granule == (byte & ~7u) &&
		    reports[i].mask >> (byte & 7) & 1)
			return true;
	return false;
}

/* Has the place of the program touched it? Or somebody atomically: a plain write beneath
 * that is kept with the bytes of the atomic one (dh_record_is_kept). */
static bool touched(uint64_t pc, unsigned byte)
{
	const struct history *h = &histories[byte];
	for (unsigned i = 0; i < h->before; i++)
		if (h->at[i].pc == pc || h->at[i].atomic)
			return true;
	return false;
}

/* Is there such a race on this byte? */
static bool pair_races(const struct race_report *r, const struct history *h)
{
	for (unsigned n = h->before; n < h->count; n++)
		for (unsigned i = 0; h->at[n].pc == r->pc && i < h->before; i++)
			if (h->at[i].pc == r->other_pc && races(&h->at[i], &h->at[n]))
				return true;
	return false;
}

static bool explained(const struct race_report *r)
{
	bool found = false;
	for (unsigned i = 0; i < DH_GRANULE; i++)
		found |= pair_races(r, &histories[r->granule + i]);
	for (unsigned i = 0; i < DH_GRANULE; i++)
		if (r->other_mask >> i & 1)
			found &= touched(r->other_pc, r->granule + i);
	return found;
}

/* It was told: from now on it counts. */
static void keep_telling(void)
{
	for (unsigned b = world.low_byte; b < world.high_byte; b++) {
		histories[b].racy |= byte_races(&histories[b], false);
		histories[b].before = histories[b].count;
	}
}

/* The same; and was it judged as the oracle does? */
static void end_telling(uint64_t seed, unsigned number, int thread)
{
	for (unsigned i = 0; i < world.report_count; i++) {
		const struct race_report *r = &reports[i];
		if (!explained(r))
			fail_msg(
			    "seed %llu step %u by %d: a false alarm, or a wrong site or "
			    "wrong bytes: granule %u, pc %llx (%x) and %llx (%x)",
			    (unsigned long long)seed, number, thread, r->granule,
			    (unsigned long long)r->pc, r->mask,
			    (unsigned long long)r->other_pc, r->other_mask);
	}
	for (unsigned b = world.low_byte; b < world.high_byte; b++) {
		if (byte_races(&histories[b], true) && !byte_is_reported(b))
			fail_msg("seed %llu step %u by %d: a race on byte %u was missed",
				 (unsigned long long)seed, number, thread, b);
	}
	keep_telling();
}

/* ---- playing ---- */

/* A thread that has made many sets for nothing gives cells their own places. */
static void encourage_sets(struct dh_thread_state *state, uint32_t makes)
{
	state->read_sets = state->write_sets = state->atomic_sets = state->write_blends =
	    (struct dh_set_pay){.makes = makes};
}

/* base: a multiple of a page; nothing need be there. */
static void open_world_at(uintptr_t base, bool lanes)
{
	static bool ready;
	if (!ready) {
		dh_cells_choose();
		dh_threads_init();
		world.selves[0] = dh_self;
		ready = true;
	}
	forget_histories();
	dh_shadow_clear(base, WORLD_BYTES);
	struct dh_self main_self = world.selves[0];
	encourage_sets(main_self.state, 0);
	memset(&world, 0, sizeof world);
	world.selves[0] = main_self;
	world.base = base;
	world.lanes = lanes;
	world.frugal = DH_SETS_GRACE == 0 || !dh_sets_roomy();
	for (int i = 1; i < THREADS + lanes; i++) {
		become(0);
		struct dh_thread_info *info = dh_thread_create(0);
		leave(0);
		memset(&dh_self, 0, sizeof dh_self);
		dh_thread_attach(info);
		leave(i);
	}
	for (int i = 0; i < ALL; i++)
		world.clock[i][i] = 1;
}

static void open_world(bool lanes)
{
	open_world_at((uintptr_t)memory, lanes);
}

/* ---- tasks ---- */

static void set_lane_clock(uint32_t clock, uint64_t alike)
{
	uint32_t slot = dh_self.state->info->slot;
	dh_self.vc[slot] = clock;
	dh_self.epoch = dh_record_epoch(slot, clock);
	dh_self.alike = alike;
	memset(dh_self.state->past, 0, sizeof dh_self.state->past);
	dh_thread_look(&dh_self);
}

/* Thread 0 makes a task, which begins at once. */
static void next_task(void)
{
	static char creation[8];
	const int task = THREADS + world.tasks++;
	become(0);
	dh_sync_release(dh_thread_self(), (uintptr_t)creation);
	leave(0);
	become(LANE);
	dh_sync_acquire(dh_thread_self(), (uintptr_t)creation);
	if (!world.low)
		world.low = (dh_record_clock(dh_self.epoch) / ROOM + 2) * ROOM;
	set_lane_clock(--world.low, (uint64_t)(ROOM - 1) << DH_CLOCK_SHIFT);
	leave(LANE);
	memcpy(world.clock[task], world.clock[0], sizeof world.clock[task]);
	world.clock[task][task] = 1;
	world.clock[0][0]++;
}

/* Thread 0 waits for all tasks: the first one's clock stands for them. */
static void wait_for_tasks(void)
{
	struct dh_clockset ends = {0};
	if (!world.low)
		return;
	dh_clockset_note(&ends, world.selves[LANE].state->info->slot,
			 world.low | (ROOM - 1));
	become(0);
	dh_clockset_learn(dh_thread_self(), &ends);
	leave(0);
	dh_clockset_free(&ends);
	become(LANE);
	set_lane_clock(world.low | (ROOM - 1), 0);
	leave(LANE);
	world.low = 0;
	for (int i = THREADS; i < THREADS + world.tasks; i++)
		world.clock[0][i] = 1;
}

static void close_world(void)
{
	wait_for_tasks();
	for (int i = 1; i < THREADS + world.lanes; i++) {
		become(i);
		struct dh_thread_info *info = dh_self.state->info;
		dh_thread_detach_self();
		become(0);
		dh_thread_joined(info);
		leave(0);
	}
	become(0);
}

static void pass_order(int from, int to)
{
	static char channel[8];
	become(from);
	dh_sync_release(dh_thread_self(), (uintptr_t)channel);
	leave(from);
	become(to);
	dh_sync_acquire(dh_thread_self(), (uintptr_t)channel);
	leave(to);
	for (int i = 0; i < ALL; i++)
		world.clock[to][i] = DH_MAX(world.clock[to][i], world.clock[from][i]);
	world.clock[from][from]++;
}

/* A barrier. */
static void pass_order_to_all(void)
{
	for (int i = 1; i < THREADS; i++)
		pass_order(i, 0);
	for (int i = 1; i < THREADS; i++)
		pass_order(0, i);
}

/* ---- accesses ---- */

#define PLAY(size, write)                                                                \
	case size * 2 + write:                                                           \
		all_steps(addr, size, write, pc);                                        \
		break;

static void play_aligned(uintptr_t addr, unsigned size, bool write, uint64_t pc)
{
	switch (size * 2 + write) {
		PLAY(1, false)
		PLAY(1, true)
		PLAY(2, false)
		PLAY(2, true)
		PLAY(4, false)
		PLAY(4, true)
		PLAY(8, false)
		PLAY(8, true)
	}
}

static void play_two(uintptr_t addr, bool write, uint64_t pc)
{
	if (write)
		all_steps_of_two(addr, true, pc);
	else
		all_steps_of_two(addr, false, pc);
}

static void play_access(const struct step *s)
{
	uintptr_t addr = world.base + s->from;
	unsigned size = s->to - s->from;
	unsigned flags =
	    (s->write ? DH_ACCESS_WRITE : 0) | (s->atomic ? DH_ACCESS_ATOMIC : 0);
	bool aligned = size == 1 || size == 2 || size == 4 || size == 8;
	if (size == 16 && addr % 8 == 0 && !s->atomic)
		play_two(addr, s->write, s->pc);
	else if (!aligned)
		dh_access_range(addr, size, flags, s->pc);
	else if (s->atomic && s->write)
		dh_atomic_write(addr, size, s->pc);
	else if (s->atomic)
		dh_atomic_read(addr, size, s->pc);
	else
		play_aligned(addr, size, s->write, s->pc);
}

static void discourage_sets(void)
{
	for (int i = 0; i < THREADS; i++)
		encourage_sets(world.selves[i].state, 3000);
	world.frugal = true;
}

/* The thread that the oracle has for it. */
static int who_is(int thread)
{
	return thread == LANE ? THREADS + world.tasks - 1 : thread;
}

#endif
