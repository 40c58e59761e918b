/* SPDX-License-Identifier: MIT */
/*
 * Threads that ask for the cells of parts of the same granules at once (parts.h): all are
 * given the same ones, nobody else's, and the way past the granule's cell leads to them, too.
 * So it is with the words of elders. With an argument in a process whose address space is limited.
 */
#include "runtime/parts.h"
#include "runtime/race.h"
#include "../unit/dice.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { THREADS = 4, GRANULES = 1 << 13, CELLS = GRANULES * (2 + 4 + 8) };
/* The first, and those by bytes; of reads, and of writes. */
enum { ELDERS = 2 * (1 + DH_GRANULE) };

static _Alignas(64) uint64_t memory[GRANULES];
static struct dh_cell *found[THREADS][GRANULES][DH_LEVELS];
static dh_record *elders[THREADS][GRANULES][ELDERS];
static pthread_barrier_t start;
static unsigned failed;

void dh_race_found(struct dh_self *t, uintptr_t granule, unsigned mask, dh_record mine,
		   unsigned flags, dh_record other, bool other_write)
{
	(void)t, (void)granule, (void)mask, (void)mine, (void)flags, (void)other;
	(void)other_write;
}

static void check(bool right, const char *what)
{
	static unsigned number;
	printf("%s %u - %s\n", right ? "ok" : "not ok", ++number, what);
	failed += !right;
}

static uintptr_t granule_at(unsigned i)
{
	return (uintptr_t)&memory[i];
}

static dh_record *elder_of(uintptr_t granule, unsigned k, unsigned thread)
{
	if (k < 2)
		return dh_parts_elder(granule, k, thread);
	dh_record *bytes = dh_parts_elder_bytes(granule, k % 2, thread);
	return bytes ? bytes + k / 2 - 1 : NULL;
}

/* The same, as it is looked for quickly. */
static dh_record *flat_elder_of(uintptr_t granule, unsigned k)
{
	if (k < 2)
		return dh_flat_elder(granule, k);
	dh_record *bytes = dh_flat_elder_bytes(granule, k % 2);
	return bytes ? bytes + k / 2 - 1 : NULL;
}

/* All granules, each thread in an order of its own that stays near the others'. */
static void *ask(void *thread)
{
	unsigned me = (unsigned)(uintptr_t)thread;
	struct dice d = {me + 1};
	pthread_barrier_wait(&start);
	for (unsigned i = 0; i < GRANULES; i++) {
		unsigned near = i ^ (me & 1), first = dice_roll(&d, 3);
		for (unsigned k = 0; k < 3; k++) {
			unsigned level = 1 + (first + k) % 3;
			found[me][near][level] = dh_parts_find(granule_at(near), level, me);
		}
		for (unsigned k = 0; k < ELDERS; k++)
			elders[me][near][k] = elder_of(granule_at(near), k, me);
	}
	return NULL;
}

static bool all_agree(void)
{
	for (unsigned i = 0; i < GRANULES; i++)
		for (unsigned level = 1; level < DH_LEVELS; level++)
			for (unsigned t = 0; t < THREADS; t++)
				if (!found[t][i][level] ||
				    found[t][i][level] != found[0][i][level])
					return false;
	return true;
}

static bool all_know_their_place(void)
{
	for (unsigned i = 0; i < GRANULES; i++)
		for (unsigned level = 1; level < DH_LEVELS; level++)
			for (unsigned part = 0; part < 1u << level; part++)
				if (dh_part_offset(&found[0][i][level][part], level) !=
				    part << dh_level_shift(level))
					return false;
	return true;
}

static int by_address(const void *a, const void *b)
{
	uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
	return x < y ? -1 : x > y;
}

static bool none_is_shared(void)
{
	static uintptr_t cells[CELLS];
	size_t n = 0;
	for (unsigned i = 0; i < GRANULES; i++)
		for (unsigned level = 1; level < DH_LEVELS; level++)
			for (unsigned part = 0; part < 1u << level; part++)
				cells[n++] = (uintptr_t)&found[0][i][level][part];
	qsort(cells, n, sizeof *cells, by_address);
	for (size_t i = 1; i < n; i++)
		if (cells[i] == cells[i - 1])
			return false;
	return n == CELLS;
}

static bool elders_agree(void)
{
	for (unsigned i = 0; i < GRANULES; i++)
		for (unsigned k = 0; k < ELDERS; k++)
			for (unsigned t = 0; t < THREADS; t++)
				if (!elders[t][i][k] || elders[t][i][k] != elders[0][i][k])
					return false;
	return true;
}

/* Nor with cells; and who looks for them quickly finds the same. */
static bool no_elder_is_shared(void)
{
	static uintptr_t words[GRANULES * ELDERS + CELLS];
	size_t n = 0;
	for (unsigned i = 0; i < GRANULES; i++) {
		for (unsigned level = 1; level < DH_LEVELS; level++)
			for (unsigned part = 0; part < 1u << level; part++)
				words[n++] = (uintptr_t)&found[0][i][level][part];
		for (unsigned k = 0; k < ELDERS; k++) {
			dh_record *quick = flat_elder_of(granule_at(i), k);
			if (quick && quick != elders[0][i][k])
				return false;
			words[n++] = (uintptr_t)elders[0][i][k];
		}
	}
	qsort(words, n, sizeof *words, by_address);
	for (size_t i = 1; i < n; i++)
		if (words[i] == words[i - 1])
			return false;
	return true;
}

static bool halves_are_beside(void)
{
	for (unsigned i = 0; i < GRANULES; i++)
		for (unsigned half = 0; half < 2; half++) {
			uintptr_t addr = granule_at(i) + half * 4;
			uintptr_t base = dh_flat_base(addr);
			if (base > 1 &&
			    dh_flat_half_at(base, addr) != &found[0][i][1][half])
				return false;
		}
	return true;
}

int main(int argc, char **argv)
{
	(void)argv;
	pthread_t threads[THREADS];
	const struct rlimit limit = {(rlim_t)1 << 30, (rlim_t)1 << 30};
	if (argc > 1)
		setrlimit(RLIMIT_AS, &limit);
	for (unsigned i = 0; i < GRANULES; i++)
		dh_shadow_cell(granule_at(i));
	pthread_barrier_init(&start, NULL, THREADS);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, ask, (void *)i);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("1..7\n");
	check((dh_flat_base(granule_at(0)) > 1) == (argc == 1), "the kind of process");
	check(all_agree(), "all threads are given the same cells");
	check(all_know_their_place(), "a cell knows which part it is for");
	check(none_is_shared(), "no two parts have the same cell");
	check(halves_are_beside(), "halves are found past the granule's cell");
	check(elders_agree(), "all threads are given the same words for elders");
	check(no_elder_is_shared(), "no two elders have the same word");
	return failed != 0;
}
