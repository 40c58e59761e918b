/* SPDX-License-Identifier: MIT */
/*
 * Real threads whose loops tell of all their rounds at once (runtime/loops.h), side by
 * side.
 *
 * (1) Two loops meet in one granule: a race, which is found.
 *
 * (2) Each thread reads, or writes, every other int of an array: silence; and who comes
 * to all of it later finds both of them in every granule.
 *
 * (3) One thread writes each granule, or a half of it and reads the other, where another
 * reads all of it: a race in each. Few rounds, so that nothing is done by plain stores.
 *
 * (4) One thread reads all of an array, another every other granule of it: who then
 * writes to it finds the latter there, but for few, and nowhere else.
 */
#include "runtime/loops.h"
#include "runtime/race.h"
#include "runtime/sync.h"
#include "real_threads.h"

#include <sched.h>
#include <stdio.h>

enum { GRANULES = 4096, MEETINGS = 500, SWEEPS = 300, SHORT = 24, SHORT_SWEEPS = 6000 };
enum { LOST_MOST = 25, LOST_READS = 2000 }; /* one in so many, at the same instant */

void __deadheat_loop_parts(const struct dh_loop_part *part, uintptr_t count,
			   uintptr_t rounds);

void __tsan_read8_pc(void *addr, void *pc);

static _Alignas(4096) uint64_t array[GRANULES];
static unsigned reports[GRANULES]; /* atomic */
static uint32_t arrived;	   /* atomic */

/* Reports of an access at this place, where it is and where it is not. */
enum { SPARSE_PLACE = 0x4100, SPARSE = 2 };
static unsigned sparse[2]; /* atomic */

void dh_race_found(struct dh_self *t, uintptr_t granule, unsigned mask, dh_record mine,
		   unsigned flags, dh_record other, bool other_write)
{
	const uintptr_t number = (granule - (uintptr_t)array) / DH_GRANULE;
	(void)t, (void)mask, (void)mine, (void)flags, (void)other_write;
	__atomic_fetch_add(&reports[number], 1, __ATOMIC_RELAXED);
	if (dh_site_pc(dh_contexts, dh_record_site(other)) == SPARSE_PLACE)
		__atomic_fetch_add(&sparse[number % SPARSE != 0], 1, __ATOMIC_RELAXED);
}

static unsigned sum_of_reports(void)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < GRANULES; i++)
		sum += reports[i];
	return sum;
}

static void forget_all(void)
{
	dh_shadow_clear((uintptr_t)array, sizeof array);
	for (unsigned i = 0; i < GRANULES; i++)
		reports[i] = 0;
	arrived = 0;
}

/* No business of the runtime's. */
static void wait_for_all(uint32_t threads)
{
	enum { AT_ONCE = 1000 };
	__atomic_fetch_add(&arrived, 1, __ATOMIC_SEQ_CST);
	for (unsigned n = 1; __atomic_load_n(&arrived, __ATOMIC_SEQ_CST) < threads; n++)
		if (n % AT_ONCE == 0) /* perhaps they wait for the processor */
			sched_yield();
}

static struct dh_loop_part part(uint64_t pc, unsigned byte, intptr_t step, uint32_t size,
				bool write)
{
	return (struct dh_loop_part){pc, (uintptr_t)array + byte, step, size, write};
}

/* ---- (1) ---- */

static void meet(unsigned me)
{
	enum { STEP = 16, MIDDLE = sizeof array / 2 };
	const struct dh_loop_part p =
	    me ? part(0x1000, sizeof array - STEP, -STEP, 8, true)
	       : part(0x1100, 0, STEP, 8, true);
	wait_for_all(2);
	__deadheat_loop_parts(&p, 1, MIDDLE / STEP + !me);
}

/* ---- (2) ---- */

static void every_other(unsigned me, bool write)
{
	const struct dh_loop_part mine = part(0x2000 + me, me * 4, 8, 4, write);
	const struct dh_loop_part all = part(0x2100, 0, 8, 8, true);
	wait_for_all(3);
	if (me < 2)
		__deadheat_loop_parts(&mine, 1, GRANULES);
	wait_for_all(6);
	if (me == 2)
		__deadheat_loop_parts(&all, 1, GRANULES);
}

static void write_every_other(unsigned me)
{
	every_other(me, true);
}

static void read_every_other(unsigned me)
{
	every_other(me, false);
}

/* ---- (3) ---- */

static void short_and_back(unsigned me, const struct dh_loop_part *there, unsigned count)
{
	const struct dh_loop_part all = part(0x3100, (SHORT - 1) * 16, -16, 8, false);
	wait_for_all(2);
	if (me)
		__deadheat_loop_parts(there, count, SHORT);
	else
		__deadheat_loop_parts(&all, 1, SHORT);
}

static void halves_and_all(unsigned me)
{
	/* In this order the runtime itself does nothing by plain stores. */
	const struct dh_loop_part halves[] = {part(0x3001, 4, 16, 4, false),
					      part(0x3000, 0, 16, 4, true)};
	short_and_back(me, halves, DH_ARRAY_LEN(halves));
}

static void write_and_read(unsigned me)
{
	const struct dh_loop_part write = part(0x3002, 0, 16, 8, true);
	short_and_back(me, &write, 1);
}

static bool all_short_found(void)
{
	for (unsigned i = 0; i < SHORT; i++)
		if (!reports[i * 2])
			return false;
	return true;
}

/* ---- (4) ---- */

static void all_and_some(unsigned me)
{
	enum { SOME = 16 }; /* as few as are not told one by one */
	const struct dh_loop_part all = part(0x4200, 0, 8, 8, true);
	wait_for_all(3);
	for (unsigned i = 0; me == 0 && i < GRANULES; i += SOME) {
		const struct dh_loop_part p[] = {part(0x4000, i * 8, 16, 8, false),
						 part(0x4001, i * 8 + 8, 16, 8, false)};
		__deadheat_loop_parts(p, DH_ARRAY_LEN(p), SOME / 2);
	}
	for (unsigned i = 0; me == 1 && i < GRANULES; i += SPARSE)
		__tsan_read8_pc(&array[i], (void *)SPARSE_PLACE);
	wait_for_all(6);
	if (me == 2)
		__deadheat_loop_parts(&all, 1, GRANULES);
}

static const char *word(bool good)
{
	return good ? "ok" : "not ok";
}

int main(void)
{
	unsigned found = 0, elsewhere = 0, early = 0, lost = 0, missed = 0;
	dh_threads_init();
	for (unsigned i = 0; i < MEETINGS; i++) {
		forget_all();
		run_all(2, meet);
		found += reports[GRANULES / 2] > 0;
		elsewhere += sum_of_reports() - reports[GRANULES / 2];
	}
	printf("1..5\n%s 1 - the meeting was found %u times of %u\n",
	       word(found <= MEETINGS && MEETINGS - found <= MEETINGS / LOST_MOST), found,
	       MEETINGS);
	printf("%s 2 - and nothing else: %u\n", word(!elsewhere), elsewhere);
	for (unsigned i = 0; i < SWEEPS; i++) {
		forget_all();
		run_all(3, i % 2 ? read_every_other : write_every_other);
		for (unsigned g = 0; g < GRANULES; g++) {
			lost += reports[g] < 2;
			early += reports[g] > 2;
		}
	}
	printf("%s 3 - every other int: %u lost, %u too many\n", word(!lost && !early),
	       lost, early);
	for (unsigned i = 0; i < SHORT_SWEEPS; i++) {
		forget_all();
		run_all(2, i % 2 ? halves_and_all : write_and_read);
		missed += !all_short_found();
	}
	printf("%s 4 - halves and all: %u missed\n", word(!missed), missed);
	for (unsigned i = 0; i < SWEEPS; i++) {
		forget_all();
		run_all(3, all_and_some);
	}
	const unsigned some = SWEEPS * (GRANULES / SPARSE);
	printf("%s 5 - all and some: %u of %u, and %u that are none\n",
	       word(!sparse[1] && some - sparse[0] <= some / LOST_READS), sparse[0], some,
	       sparse[1]);
	return 0;
}
