/* SPDX-License-Identifier: MIT */
/*
 * The end of memory, against a naive oracle. Threads, played by one, read and write
 * ranges of an area and pass order to each other; then one of them frees it.
 *
 * Claims: a race is reported in just those granules that have an access which is not
 * ordered before the end; and what lies beyond the part that keeps the end as its record
 * is empty afterwards.
 */
#include "runtime/access.h"
#include "runtime/race.h"
#include "runtime/sync.h"
#include "../unit/dice.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { THREADS = 3, GRANULES = 600, STEPS = 40, ROUNDS = 400 };

/* What the oracle keeps: the clock of each thread's last access to a granule, and of its
 * last write. */
static struct world {
	struct dh_self selves[THREADS];
	uint32_t clock[THREADS][THREADS];
	uint32_t last[GRANULES][THREADS], wrote[GRANULES][THREADS];
	bool raced[GRANULES];
} world;

static _Alignas(4096) uint8_t memory[GRANULES * DH_GRANULE];

void dh_race_found(struct dh_self *t, uintptr_t granule, unsigned mask, dh_record mine,
		   unsigned flags, dh_record other, bool other_write)
{
	(void)t, (void)mask, (void)mine, (void)flags, (void)other, (void)other_write;
	world.raced[(granule - (uintptr_t)memory) / DH_GRANULE] = true;
}

static void become(int thread)
{
	dh_self = world.selves[thread];
}

static void leave(int thread)
{
	world.selves[thread] = dh_self;
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
	for (int i = 0; i < THREADS; i++)
		world.clock[to][i] = DH_MAX(world.clock[to][i], world.clock[from][i]);
	world.clock[from][from]++;
}

/* Are these of a granule before what the thread does now? */
static bool is_ordered(const uint32_t *clocks, int thread)
{
	for (int i = 0; i < THREADS; i++)
		if (i != thread && clocks[i] > world.clock[thread][i])
			return false;
	return true;
}

/* Ranges of any length; where it would race, it is left out: what a cell keeps of a race
 * is no matter here. */
static void use(struct dice *d, int thread)
{
	unsigned from = dice_roll(d, GRANULES);
	unsigned to =
	    from + 1 + dice_roll(d, DH_MIN(1u << dice_roll(d, 9), GRANULES - from));
	const bool write = dice_chance(d, 40);
	for (unsigned g = from; g < to; g++)
		if (!is_ordered(write ? world.last[g] : world.wrote[g], thread))
			return;
	become(thread);
	for (unsigned g = from; g < to; g++) {
		const unsigned bytes = dice_chance(d, 90) ? DH_GRANULE : DH_GRANULE / 2;
		dh_access_range((uintptr_t)memory + g * DH_GRANULE, bytes,
				write ? DH_ACCESS_WRITE : 0, 0x1000 + g % 3);
		world.last[g][thread] = world.clock[thread][thread];
		if (write)
			world.wrote[g][thread] = world.clock[thread][thread];
	}
	leave(thread);
}

static void end(int thread)
{
	memset(world.raced, 0, sizeof world.raced);
	become(thread);
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	dh_access_end(t, (uintptr_t)memory, sizeof memory, dh_thread_site(t, 0x2000),
		      0x2000);
	dh_leave_runtime(t);
	leave(thread);
}

static void check(int thread)
{
	for (unsigned g = 0; g < GRANULES; g++) {
		const struct dh_cell *c =
		    dh_shadow_cell((uintptr_t)memory + g * DH_GRANULE);
		assert_int_equal(world.raced[g], !is_ordered(world.last[g], thread));
		if (g >= DH_END_MARKED / DH_GRANULE)
			assert_true(!c->write && !c->read);
	}
}

static void start(void)
{
	dh_threads_init();
	leave(0);
	for (int i = 1; i < THREADS; i++) {
		become(0);
		struct dh_thread_info *info = dh_thread_create(0);
		leave(0);
		memset(&dh_self, 0, sizeof dh_self);
		dh_thread_attach(info);
		leave(i);
	}
	for (int i = 0; i < THREADS; i++)
		world.clock[i][i] = 1;
}

static void test_end(void **state)
{
	(void)state;
	start();
	for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
		struct dice d = {seed};
		memset(world.last, 0, sizeof world.last);
		memset(world.wrote, 0, sizeof world.wrote);
		dh_shadow_clear((uintptr_t)memory, sizeof memory);
		for (unsigned n = 0; n < STEPS; n++) {
			const int thread = (int)dice_roll(&d, THREADS);
			if (dice_chance(&d, 20))
				pass_order(thread, (int)dice_roll(&d, THREADS));
			else
				use(&d, thread);
		}
		const int last = (int)dice_roll(&d, THREADS);
		end(last);
		check(last);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
