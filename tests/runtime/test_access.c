/* SPDX-License-Identifier: MIT */
/*
 * The shadow against a naive oracle: a few threads of the runtime are played by one
 * (their hot parts are swapped in and out), make random accesses of all sizes, atomic
 * and not, and pass order to each other; the oracle keeps every access to every byte.
 *
 * Claims: (1) what is reported is a pair of conflicting, unordered accesses that share a
 * byte, with the right sites and bytes; (2) an access that is the first on one of its bytes to
 * race is reported.
 *
 * In some worlds one more thread is a lane (openmp/lane.h): it runs tasks that thread 0
 * makes, one after the other, in one slot. To the oracle each is a thread.
 */
#include "runtime/atomic_access.h"
#include "runtime/blend.h"
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
enum { BYTES = 48, STEPS = 150, LOOP_BYTES = 160, LOOP_STEPS = 400 };

struct step {
	int thread;
	unsigned from, to; /* bytes */
	bool write, atomic;
	uint64_t pc;
	uint32_t clock[ALL]; /* the oracle's vector clock at the time */
};

static struct world {
	struct dh_self selves[THREADS + 1];
	uint32_t clock[ALL][ALL]; /* the oracle's clocks */
	bool lanes;
	bool frugal; /* threads make no sets */
	bool sole;   /* each thinks that it is the only one: they are, in turn */
	int tasks;	/* that have begun */
	uint32_t low;	/* clock of the last one; 0: the next has a lane of its own */
	struct step log[LOOP_STEPS];
	unsigned logged;
	bool racy[LOOP_BYTES]; /* a race on this byte was found by the oracle before */
	bool reported;
	struct other {
		uint64_t pc;
		unsigned from, mask; /* bytes of a granule */
	} others[64];
	unsigned other_count;
} world;

static _Alignas(4096) uint8_t memory[4096];

void dh_race_found(struct dh_self *t, uintptr_t granule, unsigned mask, dh_record mine,
		   unsigned flags, dh_record other, bool other_write)
{
	(void)t, (void)mask, (void)mine, (void)flags, (void)other_write;
	world.reported = true;
	if (world.other_count < DH_ARRAY_LEN(world.others))
		world.others[world.other_count++] =
			(struct other){dh_site_pc(dh_contexts, dh_record_site(other)),
				       (unsigned)(granule - (uintptr_t)memory),
				       dh_record_mask(other)};
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

static bool unordered(const struct step *a, const struct step *b)
{
	return a->clock[a->thread] > b->clock[a->thread];
}

static bool conflict(const struct step *a, const struct step *b)
{
	return a->thread != b->thread && (a->write || b->write) &&
	       !(a->atomic && b->atomic) && a->from < b->to && b->from < a->to;
}

/* Has an atomic write come over this byte since? Then the older access need not be held
 * against anybody where sets do not pay (access.c says why). */
static bool overwritten(const struct step *old, unsigned byte)
{
	if (!world.frugal)
		return false;
	for (const struct step *s = old + 1; s < world.log + world.logged; s++)
		if (s->write && s->atomic && s->from <= byte && byte < s->to)
			return true;
	return false;
}

static bool must_report(const struct step *now)
{
	bool must = false;
	for (unsigned i = 0; i < world.logged; i++) {
		const struct step *old = &world.log[i];
		if (!conflict(old, now) || !unordered(old, now))
			continue;
		for (unsigned b = DH_MAX(old->from, now->from);
		     b < DH_MIN(old->to, now->to); b++)
			must |= !world.racy[b] && !overwritten(old, b);
	}
	return must;
}

static void note_racy(const struct step *now)
{
	for (unsigned i = 0; i < world.logged; i++) {
		const struct step *old = &world.log[i];
		if (conflict(old, now) && unordered(old, now))
			for (unsigned b = DH_MAX(old->from, now->from);
			     b < DH_MIN(old->to, now->to); b++)
				world.racy[b] = true;
	}
}

/* Has the place of the program touched it? Or somebody atomically: a plain write beneath that is
 * kept with the bytes of the atomic one (dh_record_is_kept). */
static bool touched(uint64_t pc, unsigned byte)
{
	for (unsigned i = 0; i < world.logged; i++)
		if ((world.log[i].pc == pc || world.log[i].atomic) &&
		    world.log[i].from <= byte && byte < world.log[i].to)
			return true;
	return false;
}

static bool explained(const struct step *now, const struct other *other)
{
	bool found = false;
	for (unsigned i = 0; i < world.logged; i++) {
		const struct step *old = &world.log[i];
		found |= old->pc == other->pc && conflict(old, now) && unordered(old, now);
	}
	for (unsigned i = 0; i < DH_GRANULE; i++)
		if (other->mask >> i & 1)
			found &= touched(other->pc, other->from + i);
	return found;
}

/* ---- playing ---- */

/* A thread that has made many sets for nothing gives cells their own places. */
static void encourage_sets(struct dh_thread_state *state, uint32_t makes)
{
	state->read_sets = state->write_sets = state->atomic_sets = state->write_blends =
		(struct dh_set_pay){.makes = makes};
}

static void open_world(bool lanes)
{
	static bool ready;
	if (!ready) {
		dh_threads_init();
		world.selves[0] = dh_self;
		ready = true;
	}
	memset(memory, 0, sizeof memory);
	dh_shadow_clear((uintptr_t)memory, sizeof memory);
	struct dh_self main_self = world.selves[0];
	encourage_sets(main_self.state, 0);
	memset(&world, 0, sizeof world);
	world.selves[0] = main_self;
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

static struct step roll_access(struct dice *d, unsigned number)
{
	static const uint8_t sizes[] = {1, 2, 4, 4, 8, 8, 8, 3, 5, 7, 13, 16, 24};
	struct step s = {.thread = (int)dice_roll(d, THREADS),
			 .write = dice_roll(d, 2),
			 .atomic = dice_roll(d, 6) == 0};
	unsigned size = sizes[dice_roll(d, DH_ARRAY_LEN(sizes))];
	bool aligned = size == 1 || size == 2 || size == 4 || size == 8;
	if (aligned)
		s.from = dice_roll(d, BYTES / size) * size;
	else if (size == 16 && dice_roll(d, 2))
		s.from = dice_roll(d, BYTES / 8 - 1) * 8;
	else
		s.from = dice_roll(d, BYTES - size + 1);
	s.to = s.from + size;
	s.pc = dice_roll(d, 3) ? 0x1000 + dice_roll(d, 4) : 0x2000 + number;
	return s;
}

/* In loops over the granules, of which there are few: the next granule after that of the
 * last step, or the same again, at the same place of the program. */
static struct step roll_loop(struct dice *d, const struct step *last)
{
	struct step s = {.thread = (int)dice_roll(d, THREADS),
			 .write = dice_roll(d, 3) == 0,
			 .to = 8,
			 .pc = 0x1000 + 21 * dice_roll(d, 3)}; /* two share an entry of recall.h */
	if (last->to && last->to < LOOP_BYTES && dice_roll(d, 16)) {
		const unsigned step = dice_roll(d, 3) ? 8 : 0;
		s = *last, s.from += step, s.to += step;
	}
	return s;
}

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

static void play_access(struct step *s)
{
	uintptr_t addr = (uintptr_t)memory + s->from;
	unsigned size = s->to - s->from;
	unsigned flags = (s->write ? DH_ACCESS_WRITE : 0) | (s->atomic ? DH_ACCESS_ATOMIC : 0);
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

static void play(uint64_t seed, unsigned order_weight, bool lanes, bool loops)
{
	struct dice d = {seed * 0x1234567};
	struct step last = {0};
	open_world(lanes);
	world.sole = seed % 2;
	if (seed % 3)
		discourage_sets();
	for (unsigned n = 0; n < (loops ? LOOP_STEPS : STEPS); n++) {
		if (dice_roll(&d, loops ? 40 : 10) < order_weight) {
			int from = (int)dice_roll(&d, THREADS);
			if (loops && dice_roll(&d, 2))
				pass_order_to_all();
			else
				pass_order(from, (int)dice_roll(&d, THREADS));
			continue;
		}
		if (lanes && world.tasks < TASKS && dice_roll(&d, 6) == 0)
			next_task();
		if (lanes && dice_roll(&d, 40) == 0)
			wait_for_tasks();
		struct step s = loops ? roll_loop(&d, &last) : roll_access(&d, n);
		last = s;
		const int thread = lanes && world.low && dice_roll(&d, 2) ? LANE : s.thread;
		s.thread = who_is(thread);
		memcpy(s.clock, world.clock[s.thread], sizeof s.clock);
		world.reported = false;
		world.other_count = 0;
		become(thread);
		play_access(&s);
		leave(thread);
		if (must_report(&s) && !world.reported)
			fail_msg("seed %llu step %u: %s of bytes %u..%u by %d: a race was "
				 "missed",
				 (unsigned long long)seed, n, s.write ? "write" : "read",
				 s.from, s.to, s.thread);
		for (unsigned i = 0; i < world.other_count; i++)
			if (!explained(&s, &world.others[i]))
				fail_msg("seed %llu step %u: %s of bytes %u..%u by %d: a false "
					 "alarm, or a wrong site (pc %llx) or wrong bytes (%x)",
					 (unsigned long long)seed, n,
					 s.write ? "write" : "read", s.from, s.to, s.thread,
					 (unsigned long long)world.others[i].pc,
					 world.others[i].mask);
		note_racy(&s);
		world.log[world.logged++] = s;
	}
	close_world();
}

static void test_random_accesses(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 4000; seed++)
		play(seed, (unsigned)(seed % 8), false, false);
}

static void test_random_tasks(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 2000; seed++)
		play(seed, (unsigned)(seed % 8), true, false);
}

static void test_random_loops(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 2000; seed++)
		play(seed, (unsigned)(seed % 4), seed % 16 == 0, true);
}

/* Each byte at a place of its own: a blend for each would be one more after every byte. */
static void test_blends_that_do_not_pay(void **state)
{
	(void)state;
	open_world(false);
	become(1);
	uint32_t before = dh_blend_count();
	for (unsigned i = 0; i < sizeof memory; i++)
		play_aligned((uintptr_t)memory + i, 1, true, 0x10000 + i);
	assert_true(dh_blend_count() - before <= DH_SETS_GRACE + sizeof memory / 128);
	leave(1);
	close_world();
}

enum { NOBODY = 0, FIRST = 1, SECOND = 2, KNOWN = 4 };

/* Which bytes are touched is not part of a blend; but of what a report is given, it is. */
static void test_blends_of_other_bytes(void **state)
{
	enum { LOWER = DH_BLEND_FIRST - 1, UPPER = LOWER - 1 }; /* nobody else has them */
	static const unsigned lower[] = {0x0f, 0x03, 0x0b, 0x08};
	(void)state;
	open_world(false);
	become(FIRST);
	struct dh_self *t = dh_thread_base();
	const dh_record above = dh_record_make(t->now, 0xf0, false, UPPER);
	uint32_t before = dh_blend_count();
	for (unsigned i = 0; i < 2 * DH_ARRAY_LEN(lower); i++) {
		bool fresh;
		const unsigned mask = lower[i / 2];
		const dh_record below = dh_record_make(t->now, mask, false, LOWER);
		const dh_record both = i % 2 ? dh_blend(t, below, above, &fresh)
					     : dh_blend(t, above, below, &fresh);
		assert_int_equal(dh_record_mask(both), mask | 0xf0);
		assert_true(dh_blend_part(both, 0x30) == above);
		assert_int_equal(dh_record_site(dh_blend_part(both, 0x08 & mask)), LOWER);
		assert_int_equal(dh_record_mask(dh_blend_part(both, 0x01 & mask)),
				 mask == 0x0b ? 0x03 : mask);
	}
	assert_int_equal(dh_blend_count() - before, 1);
	leave(FIRST);
	close_world();
}

/* Each of the first bytes of a granule in a time frame of its own, the last one first: FIRST;
 * SECOND knows of so many of these. */
static void touch_byte_by_byte(uintptr_t granule, unsigned bytes, bool write, unsigned known)
{
	for (unsigned i = 0; i < bytes; i++) {
		become(FIRST);
		play_aligned(granule + bytes - 1 - i, 1, write, 0x3000 + i);
		leave(FIRST);
		pass_order(FIRST, i < known ? SECOND : NOBODY);
	}
}

/* Does SECOND race with that? */
static bool races_with_byte(uintptr_t addr, bool write)
{
	world.reported = false;
	become(SECOND);
	play_aligned(addr, 1, write, 0x4000);
	leave(SECOND);
	return world.reported;
}

/* Accesses that come one after the other, as many as are kept as elders and more: who comes
 * after some of them races with the others. */
static void test_byte_by_byte(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2 * DH_GRANULE * DH_GRANULE; i++) {
		const unsigned bytes = i / 2 % DH_GRANULE + 1, byte = i / 2 / DH_GRANULE;
		const uintptr_t granule = (uintptr_t)memory + (size_t)i * DH_GRANULE;
		const bool write = i % 2;
		open_world(false);
		discourage_sets();
		touch_byte_by_byte(granule, bytes, write, KNOWN);
		assert_int_equal(races_with_byte(granule + byte, !write),
				 byte < bytes && bytes - 1 - byte >= KNOWN);
		close_world();
	}
}

/* Memory that is used anew has no elders, nor have bytes of it. */
static void test_elders_end_with_memory(void **state)
{
	enum { HALF = DH_GRANULE / 2, FEW = HALF - 1 };
	(void)state;
	for (unsigned i = 0; i < 2 * 2 * DH_GRANULE; i++) {
		const bool write = i % 2, whole = i / 2 % 2;
		const unsigned byte = i / 4;
		uintptr_t granule = (uintptr_t)memory + (size_t)i * 2 * DH_GRANULE;
		open_world(false);
		touch_byte_by_byte(granule, HALF + 1, write, 0);
		dh_shadow_clear(granule, whole ? DH_GRANULE : HALF);
		assert_int_equal(races_with_byte(granule + byte, !write),
				 !whole && byte == HALF);
		close_world();
		granule += DH_GRANULE;
		open_world(false);
		touch_byte_by_byte(granule, HALF + 1, write, 0);
		dh_shadow_clear(granule, DH_GRANULE);
		touch_byte_by_byte(granule, FEW, write, 0);
		assert_int_equal(races_with_byte(granule + byte, !write), byte < FEW);
		close_world();
	}
}

/* One place of the program reads another byte of each third granule, beside whole reads of two
 * other threads: who knows of those alone races with these bytes, and with no others. */
static void test_bytes_beside_others(void **state)
{
	enum { GRANULES = 24, IN_A_ROW = 3, OTHERS = 2, READER = 2, WRITER = 3 };
	(void)state;
	open_world(false);
	for (unsigned other = 0; other < OTHERS; other++) {
		become(other);
		for (uintptr_t g = 0; g < GRANULES; g++)
			play_aligned((uintptr_t)memory + g * 8, 8, false, 0x3000);
		leave(other);
	}
	become(READER);
	for (uintptr_t g = 0; g < GRANULES; g++)
		play_aligned((uintptr_t)memory + g * 8 + g / IN_A_ROW % 8, 1, false, 0x3100);
	leave(READER);
	for (unsigned other = 0; other < OTHERS; other++)
		pass_order(other, WRITER);
	become(WRITER);
	for (uintptr_t g = 0; g < GRANULES; g++) {
		for (uintptr_t byte = 0; byte < DH_GRANULE; byte++) {
			world.reported = false;
			play_aligned((uintptr_t)memory + g * 8 + byte, 1, true, 0x4000);
			assert_int_equal(world.reported, byte == g / IN_A_ROW % 8);
		}
	}
	leave(WRITER);
	close_world();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_accesses),
		cmocka_unit_test(test_random_tasks),
		cmocka_unit_test(test_random_loops),
		cmocka_unit_test(test_blends_that_do_not_pay),
		cmocka_unit_test(test_blends_of_other_bytes),
		cmocka_unit_test(test_byte_by_byte),
		cmocka_unit_test(test_elders_end_with_memory),
		cmocka_unit_test(test_bytes_beside_others),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
