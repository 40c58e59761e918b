/* SPDX-License-Identifier: MIT */
/*
 * Loops that tell of all their rounds at once (runtime/loops.h) against the oracle of
 * world.h, which is told of each access by itself: between them single accesses, and
 * order that is passed on, so that what a loop finds in the shadow is of all kinds.
 */
#include "runtime/loops.h"
#include "runtime/rounds.h"
#include "world.h"

#include <sys/mman.h>

enum { TELLINGS = 36, ROUNDS = 300 };
enum { FIRST = 1, SECOND = 2, PLACE = 0x3000, OTHER_PLACE = 0x3100 };

void __deadheat_loop_parts(const struct dh_loop_part *part, uintptr_t count,
			   uintptr_t rounds);

struct loop {
	struct dh_loop_part part[DH_LOOP_PARTS_MOST];
	unsigned count, rounds;
};

/* ---- random loops ---- */

static intptr_t roll_step(struct dice *d, unsigned size)
{
	static const int8_t steps[] = {8, 8,  8,  16, 16, 24, 32, 48, 64,
				       4, 12, 20, 2,  6,  1,  3,  7,  0};
	intptr_t step =
	    dice_roll(d, 3) ? steps[dice_roll(d, DH_ARRAY_LEN(steps))] : (intptr_t)size;
	if (size <= DH_GRANULE && dice_roll(d, 2))
		step = step / (intptr_t)size * (intptr_t)size;
	return dice_roll(d, 4) ? step : -step;
}

/* So many rounds at most that a part stays in the world. */
static unsigned rounds_within(const struct dh_loop_part *p, unsigned rounds)
{
	const intptr_t at = (intptr_t)(p->at - world.base);
	const intptr_t room = p->step < 0 ? at : WORLD_BYTES - p->size - at;
	return p->step ? DH_MIN(rounds, (unsigned)(room / labs(p->step)) + 1) : rounds;
}

/* Parts of a loop are mostly fields of one structure, or those of one array. */
static struct loop roll_parts(struct dice *d)
{
	static const uint8_t sizes[] = {1, 2, 4, 4, 8, 8, 8, 16};
	const bool alike = dice_roll(d, 4), same_size = dice_roll(d, 2);
	struct loop l = {
	    .count = dice_roll(d, 2) ? 1 : 1 + dice_roll(d, DH_LOOP_PARTS_MOST),
	    .rounds = dice_roll(d, 8) ? dice_roll(d, ROUNDS + 1) : dice_roll(d, 12)};
	for (unsigned i = 0; i < l.count; i++) {
		struct dh_loop_part *p = &l.part[i];
		const uint8_t size = same_size && i
					 ? (uint8_t)l.part[0].size
					 : sizes[dice_roll(d, DH_ARRAY_LEN(sizes))];
		*p = (struct dh_loop_part){.pc = 0x1000 + 21 * dice_roll(d, 6),
					   .step = roll_step(d, size),
					   .size = size,
					   .write = dice_roll(d, 3) == 0};
		uintptr_t at =
		    dice_roll(d, 3) ? dice_roll(d, 64) : dice_roll(d, WORLD_BYTES - 16);
		if (p->step < 0)
			at = WORLD_BYTES - 64 - at % (WORLD_BYTES / 2);
		if (i && alike) {
			p->step = l.part[0].step;
			at = l.part[0].at - world.base + dice_roll(d, 24);
		}
		if (dice_roll(d, 8))
			at -= at % DH_MIN(size, DH_GRANULE);
		p->at = world.base + DH_MIN(at, (uintptr_t)WORLD_BYTES - 16);
		l.rounds = rounds_within(p, l.rounds);
	}
	return l;
}

/* To other bytes, if these are all in the world. */
static void shift(struct loop *l, intptr_t by)
{
	for (unsigned i = 0; i < l->count; i++) {
		const struct dh_loop_part *p = &l->part[i];
		const intptr_t first = (intptr_t)(p->at - world.base) + by;
		const intptr_t last = first + ((intptr_t)l->rounds - 1) * p->step;
		if (DH_MIN(first, last) < 0 ||
		    DH_MAX(first, last) + (intptr_t)p->size > WORLD_BYTES)
			return;
	}
	for (unsigned i = 0; i < l->count; i++)
		l->part[i].at += (uintptr_t)by;
}

/* As a loop before it, from another thread or the same: it finds what that has left, in
 * all rounds. */
static struct loop roll_again(struct dice *d, const struct loop *last)
{
	struct loop l = *last;
	for (unsigned i = 0; i < l.count; i++)
		if (dice_roll(d, 3) == 0)
			l.part[i].write ^= 1;
	if (dice_roll(d, 2))
		l.rounds -= dice_roll(d, l.rounds + 1) / 4;
	if (dice_roll(d, 4) == 0)
		l.count = 1 + dice_roll(d, l.count);
	if (dice_roll(d, 2))
		shift(&l, ((intptr_t)dice_roll(d, 5) - 2) * (dice_roll(d, 4) ? 4 : 1));
	return l;
}

/* ---- playing ---- */

static void tell_oracle_of_loop(const struct loop *l, int thread)
{
	for (unsigned i = 0; i < l->count; i++)
		for (unsigned n = 0; n < l->rounds; n++) {
			const struct dh_loop_part *p = &l->part[i];
			const unsigned from =
			    (unsigned)(p->at + n * (uintptr_t)p->step - world.base);
			tell_oracle(&(struct step){.thread = thread,
						   .from = from,
						   .to = from + p->size,
						   .write = p->write,
						   .pc = p->pc});
		}
}

static struct step roll_access(struct dice *d, int thread)
{
	static const uint8_t sizes[] = {1, 2, 4, 8, 8, 8, 5, 16, 64, 255};
	struct step s = {.thread = thread,
			 .write = dice_roll(d, 2),
			 .atomic = dice_roll(d, 4) == 0,
			 .pc = 0x2000 + dice_roll(d, 4)};
	const unsigned size = sizes[dice_roll(d, DH_ARRAY_LEN(sizes))];
	s.from = dice_roll(d, dice_roll(d, 2) ? 512 : WORLD_BYTES - 256);
	if (size <= DH_GRANULE && size != 5)
		s.from -= s.from % size;
	s.to = s.from + size;
	return s;
}

static void play_loop(const struct loop *l, int thread)
{
	become(thread);
	__deadheat_loop_parts(l->part, l->count, l->rounds);
	leave(thread);
}

static void play_order(struct dice *d)
{
	const int from = (int)dice_roll(d, THREADS);
	if (dice_roll(d, 2))
		pass_order_to_all();
	else
		pass_order(from, (int)dice_roll(d, THREADS));
}

static void play_single(struct dice *d, int thread, uint64_t seed, unsigned number)
{
	const struct step s = roll_access(d, who_is(thread));
	begin_telling();
	tell_oracle(&s);
	become(thread);
	play_access(&s);
	leave(thread);
	end_telling(seed, number, thread);
}

static void play(uint64_t seed, uintptr_t base, unsigned order_weight, bool lanes)
{
	struct dice d = {seed * 0x1234567};
	struct loop last = {0};
	int thread = 0;
	open_world_at(base, lanes);
	world.sole = seed % 2;
	if (seed % 3 == 0)
		discourage_sets();
	for (unsigned n = 0; n < TELLINGS; n++) {
		if (dice_roll(&d, 10) < order_weight) {
			play_order(&d);
			continue;
		}
		if (lanes && world.tasks < TASKS && dice_roll(&d, 4) == 0)
			next_task();
		if (lanes && dice_roll(&d, 20) == 0)
			wait_for_tasks();
		if (thread == LANE || dice_roll(&d, 3))
			thread = (int)dice_roll(&d, THREADS);
		if (lanes && world.low && dice_roll(&d, 2))
			thread = LANE;
		if (dice_roll(&d, 4) == 0) {
			play_single(&d, thread, seed, n);
			continue;
		}
		const struct loop l =
		    n && dice_roll(&d, 4) ? roll_again(&d, &last) : roll_parts(&d);
		begin_telling();
		tell_oracle_of_loop(&l, who_is(thread));
		play_loop(&l, thread);
		end_telling(seed, n, thread);
		last = dice_roll(&d, 8) ? l : last;
	}
	close_world();
}

static void test_random_loops(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 2500; seed++)
		play(seed, (uintptr_t)memory, (unsigned)(seed % 6), false);
}

static void test_random_tasks(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 600; seed++)
		play(seed, (uintptr_t)memory, (unsigned)(seed % 6), true);
}

/* The shadow is in pieces, which need not be next to each other. */
static void test_between_pieces(void **state)
{
	const uintptr_t border = (uintptr_t)7 << DH_PIECE_BITS;
	(void)state;
	for (uint64_t seed = 1; seed <= 400; seed++)
		play(seed, border - WORLD_BYTES / 8192 * 4096, (unsigned)(seed % 4),
		     false);
}

/* ---- others in between ---- */

/* Before so many more accesses that a track makes one by one, another thread comes to the
 * granule. */
static struct {
	unsigned left, size;
	bool write;
} other;

static void one_after_other(uintptr_t granule, const struct dh_member *p)
{
	const unsigned from = (unsigned)(granule - world.base);
	if (other.left && --other.left == 0) {
		leave(FIRST);
		become(SECOND);
		play_aligned(granule, other.size, other.write, OTHER_PLACE);
		leave(SECOND);
		become(FIRST);
		tell_oracle(&(struct step){.thread = SECOND,
					   .from = from,
					   .to = from + other.size,
					   .write = other.write,
					   .pc = OTHER_PLACE});
		for (unsigned i = 0; i < DH_GRANULE; i++)
			histories[from + i].racy = true;
	}
	play_aligned(granule + p->at, p->size, p->write, p->pc);
}

static struct loop over_all(uint64_t pc, unsigned size, unsigned at, bool write,
			    unsigned rounds)
{
	return (struct loop){{{pc, world.base + at, 8, size, write}}, 1, rounds};
}

static void play_loop_judged(const struct loop *l, int thread, uint64_t seed)
{
	begin_telling();
	tell_oracle_of_loop(l, thread);
	play_loop(l, thread);
	end_telling(seed, l->rounds, thread);
}

/* What somebody else does to a cell while it is learned what becomes of it is not put
 * into the next ones. Of the track itself nothing is judged here, but what it leaves. */
static void play_with_other(uint64_t seed)
{
	enum { SOME = 40, THIRD = 3, LAST = 4 };
	static const uint8_t sizes[] = {1, 4, 8, 8, 8};
	struct dice d = {seed * 0x7654321};
	open_world(false);
	const bool write = dice_roll(&d, 3) == 0;
	const unsigned size = sizes[dice_roll(&d, DH_ARRAY_LEN(sizes))],
		       at = dice_roll(&d, 8) / size * size;
	for (unsigned i = dice_roll(&d, 4); i > 0; i--) {
		const struct loop before = over_all(
		    0x5000 + i, dice_roll(&d, 2) ? 8 : size, 0, dice_roll(&d, 2), SOME);
		play_loop_judged(&before,
				 dice_roll(&d, 2) ? THIRD : (int)dice_roll(&d, 3), seed);
		if (dice_roll(&d, 2))
			pass_order_to_all();
	}
	const struct loop mine = over_all(PLACE, size, at, write, SOME);
	const struct dh_member member = {PLACE, (uint8_t)at, (uint8_t)size, write,
					 DH_NO_MEMBER};
	const unsigned mask = dh_mask_of(at, size);
	struct dh_track k = {.at = world.base,
			     .step = 8,
			     .write_need = write ? dh_record_need(mask) : 0,
			     .read_need = write ? 0 : dh_record_need(mask),
			     .wrote = write ? (uint8_t)mask : 0,
			     .only_read = write ? 0 : (uint8_t)mask,
			     .whole = mask == DH_WHOLE};
	other.left = 1 + dice_roll(&d, 4);
	other.size = sizes[dice_roll(&d, DH_ARRAY_LEN(sizes))];
	other.write = dice_roll(&d, 3) == 0;
	begin_telling();
	tell_oracle_of_loop(&mine, FIRST);
	become(FIRST);
	dh_track_rounds(&k, &member, SOME, one_after_other);
	leave(FIRST);
	keep_telling();
	for (unsigned i = 0; i < 2; i++) {
		const struct loop after = over_all(0x6000 + i, 8, 0, i, SOME);
		play_loop_judged(&after, LAST, seed);
	}
	close_world();
}

static void test_others_in_between(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 6000; seed++)
		play_with_other(seed);
}

/* What was learned in a time frame is not put into cells in the next one. */
static void test_next_time_frame(void **state)
{
	enum { SOME = 32 };
	const struct dh_member member = {PLACE, 0, 8, true, DH_NO_MEMBER};
	struct dh_track k = {.at = (uintptr_t)memory,
			     .step = 8,
			     .write_need = dh_record_need(DH_WHOLE),
			     .wrote = DH_WHOLE,
			     .whole = true};
	(void)state;
	open_world(false);
	for (unsigned i = 0; i < 2; i++) {
		become(FIRST);
		dh_track_rounds(&k, &member, SOME, one_after_other);
		leave(FIRST);
		if (i == 0)
			pass_order(FIRST, SECOND);
	}
	for (unsigned i = 0; i < 2 * SOME; i++) {
		begin_telling();
		become(SECOND);
		play_aligned((uintptr_t)memory + i * 8, 8, true, OTHER_PLACE);
		leave(SECOND);
		assert_int_equal(world.report_count, i >= SOME);
	}
	close_world();
}

/* ---- what pays ---- */

/* What a loop makes of sets and blends again and again are uses of these, though nobody
 * is asked for them. */
static void test_uses_are_counted(void **state)
{
	const uintptr_t at = (uintptr_t)memory;
	const struct loop halves = {
	    {{0x1000, at, 8, 4, true}, {0x1100, at + 4, 8, 4, true}}, 2, ROUNDS};
	const struct loop reads = {{{0x1200, at, 16, 8, false}}, 1, ROUNDS};
	(void)state;
	open_world(false);
	play_loop(&halves, FIRST);
	assert_in_range(world.selves[FIRST].state->write_blends.hits, ROUNDS / 2,
			ROUNDS * 2);
	pass_order_to_all();
	play_loop(&reads, FIRST);
	play_loop(&reads, SECOND);
	assert_in_range(world.selves[SECOND].state->read_sets.hits, ROUNDS / 2,
			ROUNDS * 2);
	close_world();
}

/* ---- one loop in another ---- */

typedef void nest_fn(uintptr_t at, uintptr_t rounds, intptr_t step, uintptr_t times,
		     intptr_t by);
#define NEST(kind, size) nest_fn __deadheat_loop_nest_##kind##size;
#define NESTS(kind)	 NEST(kind, 1) NEST(kind, 2) NEST(kind, 4) NEST(kind, 8) NEST(kind, 16)
NESTS(read)
NESTS(write)

static nest_fn *const nests[2][5] = {
    {__deadheat_loop_nest_read1, __deadheat_loop_nest_read2, __deadheat_loop_nest_read4,
     __deadheat_loop_nest_read8, __deadheat_loop_nest_read16},
    {__deadheat_loop_nest_write1, __deadheat_loop_nest_write2,
     __deadheat_loop_nest_write4, __deadheat_loop_nest_write8,
     __deadheat_loop_nest_write16}};

enum { NEST_BYTES = 1024 };

/* A nest whose accesses lie around the middle of some bytes, as far as these reach. */
static void play_nest(struct dice *d, bool write, bool touched_bytes[NEST_BYTES])
{
	static const int8_t ways[] = {0, 1, 2, 4, 8, 16, 12, 24, 32, 40, 64, 96};
	const unsigned log = dice_roll(d, 5), size = 1u << log;
	const uintptr_t rounds = 1 + dice_roll(d, 30);
	uintptr_t times = 1 + dice_roll(d, 30);
	intptr_t step = ways[dice_roll(d, DH_ARRAY_LEN(ways))];
	intptr_t by = dice_roll(d, 4) ? ways[dice_roll(d, DH_ARRAY_LEN(ways))]
				      : step * (intptr_t)rounds;
	step = dice_roll(d, 3) ? step : -step;
	by = dice_roll(d, 3) ? by : -by;
	const intptr_t at = NEST_BYTES / 2 / 16 * 16 + (dice_roll(d, 4) ? 0 : 4);
	const intptr_t end = at + (intptr_t)(rounds - 1) * step;
	while (times > 1) {
		const intptr_t over = (intptr_t)(times - 1) * by;
		if (DH_MIN(at, end) + DH_MIN(over, 0) >= 0 &&
		    DH_MAX(at, end) + DH_MAX(over, 0) + 16 <= NEST_BYTES)
			break;
		times--;
	}
	if (DH_MIN(at, end) < 0 || DH_MAX(at, end) + 16 > NEST_BYTES)
		return;
	for (uintptr_t t = 0; t < times; t++)
		for (uintptr_t r = 0; r < rounds; r++)
			memset(&touched_bytes[at + (intptr_t)t * by + (intptr_t)r * step],
			       true, size);
	become(FIRST);
	nests[write][log](world.base + (uintptr_t)at, rounds, step, times, by);
	leave(FIRST);
}

/* All bytes that it accesses are told of, and no others. */
static void test_nests(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		struct dice d = {seed * 0x135791};
		bool touched_bytes[NEST_BYTES] = {false};
		const bool write = dice_roll(&d, 2);
		open_world(false);
		play_nest(&d, write, touched_bytes);
		for (unsigned i = 0; i < NEST_BYTES; i++) {
			begin_telling();
			become(SECOND);
			play_aligned(world.base + i, 1, !write, OTHER_PLACE);
			leave(SECOND);
			assert_int_equal(world.report_count != 0, touched_bytes[i]);
		}
		close_world();
	}
}

/* ---- loops that do not come to their end ---- */

enum { MEGA = 1 << 20 };
static const uintptr_t NO_END = (uintptr_t)1 << 40;

static void write_at(uintptr_t at)
{
	become(FIRST);
	play_aligned(at, 8, true, PLACE);
	leave(FIRST);
}

/* How many races a loop that reads meets, told by so many parts that are the same. */
static unsigned reading_meets(uintptr_t at, intptr_t step, unsigned parts)
{
	struct loop l = {.count = parts};
	for (unsigned i = 0; i < parts; i++)
		l.part[i] = (struct dh_loop_part){OTHER_PLACE, at, step, 8, false};
	begin_telling();
	become(SECOND);
	__deadheat_loop_parts(l.part, l.count, NO_END);
	leave(SECOND);
	return world.report_count;
}

/* A loop that runs into what is not there ends there, or not far behind. */
static void test_runs_into_nothing(void **state)
{
	enum { THERE = 32 * MEGA, ALL_OF_IT = 128 * MEGA };
	static const intptr_t steps[] = {8, 4096, 65536 + 12};
	(void)state;
	char *p = mmap(NULL, ALL_OF_IT, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_true(p != MAP_FAILED);
	munmap(p + THERE, ALL_OF_IT - THERE);
	const uintptr_t at = (uintptr_t)p;
	for (unsigned i = 0; i < DH_ARRAY_LEN(steps); i++) {
		const uintptr_t step = (uintptr_t)steps[i];
		open_world(false);
		dh_shadow_clear(at, ALL_OF_IT);
		write_at(at + THERE / 2 / step * step);
		write_at(at + 3 * THERE / step * step);
		assert_int_equal(reading_meets(at, (intptr_t)step, 1 + i % 2), 1);
		close_world();
	}
	dh_shadow_clear(at, ALL_OF_IT);
	munmap(p, THERE);
}

/* Nor does it go on at the other end of the address space. */
static void test_ends_of_addresses(void **state)
{
	enum { NEAR = 16 * 4096 };
	const uintptr_t top = DH_SHADOW_ASIDE - 2 * DH_GRANULE;
	(void)state;
	for (intptr_t step = 8; step <= 64; step += 4) {
		open_world(false);
		dh_shadow_clear(0, NEAR * 2);
		dh_shadow_clear(top - NEAR, NEAR);
		const uintptr_t way = (uintptr_t)NEAR / (uintptr_t)step * (uintptr_t)step;
		write_at(0);
		assert_int_equal(reading_meets(way, -step, 1), 1);
		write_at(8);
		assert_int_equal(reading_meets(way + 8, -step, 1), 1);
		write_at(top);
		assert_int_equal(reading_meets(top - way, step, 1), 1);
		assert_int_equal(reading_meets(top + 8, step, 1), 0);
		close_world();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random_loops),
	    cmocka_unit_test(test_random_tasks),
	    cmocka_unit_test(test_between_pieces),
	    cmocka_unit_test(test_others_in_between),
	    cmocka_unit_test(test_next_time_frame),
	    cmocka_unit_test(test_uses_are_counted),
	    cmocka_unit_test(test_nests),
	    cmocka_unit_test(test_runs_into_nothing),
	    cmocka_unit_test(test_ends_of_addresses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
