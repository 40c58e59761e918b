/* SPDX-License-Identifier: MIT */
/* Threads make, hold and give up threadsets; between rounds, when all stand still,
 * one of them reclaims, and the counts must add up. */
#include "crew.h"
#include "lockset/threadset.h"

#include <string.h>

enum { ROUNDS = 12, STEPS = 4000, CONTENTS = 512, HELD = 40, PARADE = 2000 };

struct shared {
	struct dh_threadset_table *table;
	uint32_t number[CONTENTS]; /* agreed within a round */
	uint32_t parade[PARADE];
	uint32_t refs[CONTENTS]; /* atomic: held by the crew */
	uint64_t swept;
};

static uint32_t labels_of(uint32_t content, struct dh_label *out)
{
	uint32_t n = 0;
	for (uint32_t i = 0; content; i++, content /= 8)
		if (content % 8)
			out[n++] = (struct dh_label){i * 7, content % 8};
	return n;
}

static void check(struct shared *s, dh_threadset set, uint32_t content)
{
	struct dh_label want[8];
	uint32_t n = labels_of(content, want), count;
	const struct dh_label *got = dh_threadset_items(s->table, set, &count);
	REQUIRE(count == n);
	REQUIRE(memcmp(got, want, n * sizeof *want) == 0);
}

static dh_threadset take(struct shared *s, uint32_t content)
{
	struct dh_label labels[8];
	uint32_t n = labels_of(content, labels);
	dh_threadset set = dh_threadset_make(s->table, labels, n);
	agree(&s->number[content], set);
	__atomic_fetch_add(&s->refs[content], 1, __ATOMIC_RELAXED);
	return set;
}

static void give(struct shared *s, dh_threadset set, uint32_t content)
{
	check(s, set, content);
	__atomic_fetch_sub(&s->refs[content], 1, __ATOMIC_RELAXED);
	dh_threadset_unref(s->table, set);
}

/* Everyone else waits at the gate. */
static void stand_still(struct shared *s)
{
	struct dh_threadset_stats stats;
	uint64_t live = 0;
	memset(s->parade, 0, sizeof s->parade);
	for (uint32_t c = 0; c < CONTENTS; c++) {
		live += s->refs[c] > 0;
		if (s->refs[c] == 0)
			s->number[c] = 0;
	}
	dh_threadset_get_stats(s->table, &stats);
	REQUIRE(stats.live == live);
	uint64_t garbage = dh_threadset_garbage(s->table);
	REQUIRE(stats.kept == live + garbage);
	REQUIRE(dh_threadset_reclaim(s->table) == garbage);
	s->swept += garbage;
	dh_threadset_get_stats(s->table, &stats);
	REQUIRE(stats.kept == live && stats.reclaimed == s->swept);
	REQUIRE(stats.inserted == s->swept + live);
}

/* All make the same new sets in the same order at the same time, so that they meet
 * in the act of inserting. */
static void parade(struct hand *h, uint32_t round)
{
	struct shared *s = h->shared;
	for (uint32_t i = 0; i < PARADE; i++) {
		struct dh_label l[2] = {{round, 1000 + i}, {round + 1, i + 1}};
		dh_threadset set = dh_threadset_make(s->table, l, 2);
		agree(&s->parade[i], set);
		dh_threadset_unref(s->table, set);
	}
}

static void work(struct hand *h)
{
	struct shared *s = h->shared;
	dh_threadset held[HELD] = {0};
	uint32_t content[HELD];
	for (int round = 0; round < ROUNDS; round++) {
		for (int step = 0; step < STEPS; step++) {
			uint32_t i = roll(h, HELD);
			if (held[i] != DH_THREADSET_EMPTY) {
				give(s, held[i], content[i]);
				held[i] = DH_THREADSET_EMPTY;
				continue;
			}
			content[i] = 1 + roll(h, CONTENTS - 1);
			held[i] = take(s, content[i]);
			check(s, held[i], content[i]);
		}
		pthread_barrier_wait(h->gate);
		parade(h, (uint32_t)round);
		pthread_barrier_wait(h->gate);
		if (h->index == 0)
			stand_still(s);
		pthread_barrier_wait(h->gate);
	}
	for (uint32_t i = 0; i < HELD; i++)
		if (held[i] != DH_THREADSET_EMPTY)
			give(s, held[i], content[i]);
}

int main(void)
{
	static struct shared s;
	s.table = dh_threadset_table_new();
	crew_run(work, &s, 1);
	stand_still(&s);
	dh_threadset_table_free(s.table);
	return 0;
}
