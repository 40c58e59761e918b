/* SPDX-License-Identifier: MIT */
/* Threads append to one update list, and read behind each other: no cell is lost, none
 * stands twice, those of one thread stand in its order, and all before a tail that was
 * seen are there. Between rounds the oldest part is reclaimed, so that places and the
 * entries of the ring are used again. */
#include "crew.h"
#include "engines/goldi_list.h"

enum { ROUNDS = 8, CELLS = 20000, LOOK = 512 };

/* All cells from a position to the tail are there, and each thread's count on. */
static void check(const struct dh_goldi_list *l, uint64_t at, uint32_t last[CREW + 1])
{
	for (uint64_t tail = dh_goldi_list_tail(l); at < tail;) {
		size_t count;
		const uint64_t *piece = dh_goldi_list_piece(l, at, &count);
		for (size_t i = 0; i < count; i++) {
			struct dh_goldi_cell c = dh_goldi_cell_of(&piece[i]);
			REQUIRE(c.from >= 1 && c.from <= CREW);
			uint32_t former = last[c.from] % CELLS; /* of a round before? */
			REQUIRE(last[c.from] == 0 || c.to == former + 1);
			last[c.from] = c.to;
		}
		at += count;
	}
}

static void work(struct hand *h)
{
	struct dh_goldi_list *l = h->shared;
	uint64_t before = 0;
	for (uint32_t i = 1; i <= CELLS; i++) {
		struct dh_goldi_cell c = {h->index + 1, i};
		uint64_t at = dh_goldi_list_append(l, c);
		REQUIRE(at >= before && at < dh_goldi_list_tail(l));
		before = at + 1;
		if (roll(h, LOOK) == 0) {
			uint32_t last[CREW + 1] = {0};
			uint64_t from = at - DH_MIN(at - l->base, (uint64_t)LOOK);
			check(l, from, last);
			REQUIRE(last[h->index + 1] == i);
		}
	}
}

int main(void)
{
	struct dh_goldi_list l;
	dh_goldi_list_init(&l);
	for (uint64_t round = 0; round < ROUNDS; round++) {
		uint64_t first = dh_goldi_list_tail(&l);
		uint32_t last[CREW + 1] = {0};
		crew_run(work, &l, round + 1);
		REQUIRE(dh_goldi_list_tail(&l) - first == (uint64_t)CREW * CELLS);
		check(&l, first, last);
		for (uint32_t i = 1; i <= CREW; i++)
			REQUIRE(last[i] == CELLS);
		dh_goldi_list_reclaim(&l, dh_goldi_list_len(&l) * (round % 3 + 1) / 4);
	}
	dh_goldi_list_free(&l);
	return 0;
}
