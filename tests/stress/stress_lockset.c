/* SPDX-License-Identifier: MIT */
/* Threads fill one lockset table at once: all agree on every set's number, and
 * every set has the right members. A fresh table per round keeps them inserting. */
#include "crew.h"
#include "lockset/lockset.h"

enum { ROUNDS = 6, STEPS = 3500, LOCKS = 11 };

struct shared {
	struct dh_lockset_table *table;
	uint32_t number[1 << LOCKS]; /* of the set of these bits, + 1 */
};

static uint32_t lock_of(uint32_t bit)
{
	return bit == LOCKS - 1 ? DH_READERS_LOCK : bit * 1000003;
}

static void check(struct shared *s, dh_lockset set, uint32_t bits)
{
	agree(&s->number[bits], set + 1);
	uint32_t count;
	const uint32_t *items = dh_lockset_items(s->table, set, &count);
	REQUIRE(count == (uint32_t)__builtin_popcount(bits));
	for (uint32_t i = 0; i < count; i++)
		REQUIRE(i == 0 || items[i - 1] < items[i]);
	for (uint32_t bit = 0; bit < LOCKS; bit++)
		REQUIRE(dh_lockset_has(s->table, set, lock_of(bit)) == (bits >> bit & 1));
}

static void work(struct hand *h)
{
	struct shared *s = h->shared;
	dh_lockset a = DH_LOCKSET_EMPTY, b = DH_LOCKSET_EMPTY;
	uint32_t a_bits = 0, b_bits = 0;
	for (int step = 0; step < STEPS; step++) {
		uint32_t bit = roll(h, LOCKS);
		if (roll(h, 100) < 60) {
			a = dh_lockset_add(s->table, a, lock_of(bit));
			a_bits |= 1u << bit;
		} else {
			a = dh_lockset_remove(s->table, a, lock_of(bit));
			a_bits &= ~(1u << bit);
		}
		check(s, a, a_bits);
		check(s, dh_lockset_intersect(s->table, a, b), a_bits & b_bits);
		if (roll(h, 4) == 0) {
			b = a;
			b_bits = a_bits;
		}
	}
}

int main(void)
{
	static struct shared s;
	for (uint64_t round = 0; round < ROUNDS; round++) {
		for (uint32_t i = 0; i < DH_ARRAY_LEN(s.number); i++)
			s.number[i] = 0;
		s.table = dh_lockset_table_new();
		crew_run(work, &s, round + 1);
		uint64_t met = 0;
		for (uint32_t i = 0; i < DH_ARRAY_LEN(s.number); i++)
			met += s.number[i] != 0;
		struct dh_lockset_stats stats;
		dh_lockset_get_stats(s.table, &stats);
		REQUIRE(stats.sets == met); /* none was inserted twice */
		dh_lockset_table_free(s.table);
	}
	return 0;
}
