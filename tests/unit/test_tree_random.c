/* SPDX-License-Identifier: MIT */
/*
 * The filters on random traces: nothing that they drop makes a difference.
 *
 * Traces are short (their events fit the bits of a word), with few sites and many
 * threads that do alike, so that most accesses are redundant and many are parked.
 * They are held against a naive happens-before (transitive closure over events) and
 * against naive detectors (tree_kit.h) that see the whole trace.
 */
#include "dice.h"
#include "tree_kit.h"

#include <string.h>

enum {
	EVENTS = 60,
	THREADS = 8,
	VARS = 2,
	LOCKS = 2,
	CHANNELS = 2,
	TRACES = 6000,
	KINDS = 2 * (EVENTS + 8), /* of locations, with the kind of access */
};

/* ---- random traces ---- */

/* A crowd is many threads that do alike and seldom synchronise: accesses are parked,
 * and what ends that comes one by one. Guarded variables mostly have a lock in common,
 * so that Figure 2 reports late. */
enum flavour { MIXED, CROWD, GUARDED, FLAVOURS };

struct author {
	struct dice dice;
	struct dh_event at[EVENTS];
	uint32_t count;
	enum flavour flavour;
	uint32_t threads, vars, sites, locks;
	uint32_t writes, burst; /* percent: of accesses; the same thread goes on */
	bool born[THREADS], gone[THREADS];
	int writer[LOCKS]; /* the thread that holds it in write mode, or -1 */
	bool reader[LOCKS][THREADS];
};

static void put(struct author *a, uint32_t thread, enum dh_op op, uint32_t target)
{
	struct dh_event *ev = &a->at[a->count];
	*ev = (struct dh_event){
	    .index = a->count++, .thread = thread, .target = target, .op = (uint8_t)op};
	if (!dh_op_is_access(ev->op) || !a->sites)
		return;
	/* Without a site it is a location of its own, and so is each of its races. */
	if (!dice_chance(&a->dice, a->flavour == CROWD && op == DH_WRITE ? 60 : 5))
		ev->site = 1 + dice_roll(&a->dice, a->sites);
}

static bool holds_any(const struct author *a, uint32_t t)
{
	for (int l = 0; l < LOCKS; l++)
		if (a->writer[l] == (int)t || a->reader[l][t])
			return true;
	return false;
}

static bool is_read_by_others(const struct author *a, int l, uint32_t t)
{
	for (uint32_t u = 0; u < THREADS; u++)
		if (u != t && a->reader[l][u])
			return true;
	return false;
}

static void put_lock(struct author *a, uint32_t t)
{
	int l = (int)dice_roll(&a->dice, a->locks);
	if (a->writer[l] == (int)t) {
		a->writer[l] = -1;
		put(a, t, DH_RELEASE, (uint32_t)l);
	} else if (a->reader[l][t]) {
		a->reader[l][t] = false;
		put(a, t, DH_READ_RELEASE, (uint32_t)l);
	} else if (a->writer[l] >= 0) {
		return;
	} else if (dice_chance(&a->dice, 25)) {
		a->reader[l][t] = true;
		put(a, t, DH_READ_ACQUIRE, (uint32_t)l);
	} else if (!is_read_by_others(a, l, t)) {
		a->writer[l] = (int)t;
		put(a, t, DH_ACQUIRE, (uint32_t)l);
	}
}

static void put_fork(struct author *a, uint32_t t)
{
	for (uint32_t u = 0; u < a->threads; u++) {
		if (a->born[u])
			continue;
		a->born[u] = true;
		put(a, t, DH_FORK, u);
		return;
	}
}

static void put_join(struct author *a, uint32_t t)
{
	uint32_t u = dice_roll(&a->dice, a->threads);
	if (u == t || u == 0 || !a->born[u] || holds_any(a, u))
		return;
	a->gone[u] = true;
	put(a, t, DH_JOIN, u);
	if (a->flavour == CROWD)
		put(a, t, DH_WRITE, dice_roll(&a->dice, a->vars));
}

static void put_message(struct author *a, uint32_t t)
{
	static const uint8_t ops[] = {DH_SEND,		 DH_RECEIVE,
				      DH_VOLATILE_WRITE, DH_VOLATILE_READ,
				      DH_BARRIER_ENTER,	 DH_BARRIER_LEAVE};
	put(a, t, ops[dice_roll(&a->dice, DH_ARRAY_LEN(ops))],
	    dice_roll(&a->dice, CHANNELS));
}

/* What a thread does next: in percent, accesses, locks, forks, joins, messages, and
 * the rest alloc. */
static const uint8_t habits[FLAVOURS][5] = {
    [MIXED] = {66, 14, 8, 5, 6},
    [CROWD] = {84, 2, 2, 8, 3},
    [GUARDED] = {52, 42, 2, 1, 2},
};

static void put_step(struct author *a, uint32_t t)
{
	const uint8_t *habit = habits[a->flavour];
	uint32_t what = dice_roll(&a->dice, 100), kind = 0;
	while (kind < 5 && what >= habit[kind])
		what -= habit[kind++];
	if (kind == 0)
		put(a, t, dice_chance(&a->dice, a->writes) ? DH_WRITE : DH_READ,
		    dice_roll(&a->dice, a->vars));
	else if (kind == 1)
		put_lock(a, t);
	else if (kind == 2)
		put_fork(a, t);
	else if (kind == 3)
		put_join(a, a->flavour == CROWD ? 0 : t);
	else if (kind == 4)
		put_message(a, t);
	else
		put(a, t, DH_ALLOC, dice_roll(&a->dice, a->vars));
}

static void choose(struct author *a)
{
	struct dice *d = &a->dice;
	a->threads = 2 + dice_roll(d, THREADS - 1);
	a->vars = 1 + dice_roll(d, VARS);
	a->sites = dice_roll(d, 4);
	a->locks = 1 + dice_roll(d, LOCKS);
	a->writes = 10 + dice_roll(d, 50);
	a->burst = dice_roll(d, 60);
	if (a->flavour == CROWD) {
		a->threads = THREADS - dice_roll(d, 3);
		a->vars = 1;
		a->sites = 1 + dice_roll(d, 2);
		a->writes = dice_roll(d, 20);
	} else if (a->flavour == GUARDED) {
		a->threads = 2 + dice_roll(d, 2);
		a->vars = 1;
		a->sites = 1 + dice_roll(d, 2);
		a->locks = 2;
		a->burst = 50 + dice_roll(d, 45);
	}
}

static void generate(struct author *a, uint64_t seed)
{
	*a = (struct author){.dice = {seed}, .flavour = seed % FLAVOURS};
	choose(a);
	memset(a->writer, -1, sizeof a->writer);
	uint32_t roots = dice_chance(&a->dice, 80) ? 1 : 1 + dice_roll(&a->dice, 3);
	for (uint32_t t = 0; t < DH_MIN(roots, a->threads); t++)
		a->born[t] = true;
	uint32_t early =
	    a->flavour == MIXED ? dice_roll(&a->dice, a->threads) : a->threads;
	for (uint32_t i = 0; i < early; i++) {
		put_fork(a, 0);
		if (dice_chance(&a->dice, 15))
			put(a, 0, DH_WRITE, dice_roll(&a->dice, a->vars));
	}
	uint32_t length = 20 + dice_roll(&a->dice, EVENTS - 21), t = 0;
	for (uint32_t tries = 0; a->count < length && tries < 1000; tries++) {
		if (!dice_chance(&a->dice, a->burst))
			t = dice_roll(&a->dice, a->threads);
		if (a->born[t] && !a->gone[t])
			put_step(a, t);
	}
}

/* ---- naive happens-before ---- */

struct closure {
	uint64_t before[DH_RELATIONS][EVENTS]; /* bit i: event i is before this one */
	uint32_t locks[EVENTS];		       /* bits; that protect the access */
	uint32_t generation[EVENTS];	       /* of the access's variable */
	uint32_t place[EVENTS];		       /* of the access: site and kind */
};

/* Is i an event that j, a later one of another thread, is ordered after by itself? */
static bool is_edge(const struct author *a, bool strong, uint32_t i, uint32_t j,
		    const uint32_t *episode)
{
	const struct dh_event *from = &a->at[i], *to = &a->at[j];
	if (from->op == DH_FORK && from->target == to->thread)
		return true;
	if (to->op == DH_JOIN && to->target == from->thread)
		return true;
	if (from->target != to->target)
		return false;
	switch (to->op) {
	case DH_RECEIVE:
		return from->op == DH_SEND;
	case DH_VOLATILE_READ:
		return from->op == DH_VOLATILE_WRITE;
	case DH_BARRIER_LEAVE:
		return from->op == DH_BARRIER_ENTER && episode[i] == episode[j];
	case DH_READ_ACQUIRE:
		return strong && from->op == DH_RELEASE;
	case DH_ACQUIRE:
		return strong && (from->op == DH_RELEASE || from->op == DH_READ_RELEASE);
	default:
		return false;
	}
}

/* Numbers the uses of each barrier: a leave belongs to the one that its thread
 * entered, or to the current one; an enter after a leave opens a new one. */
static void number_episodes(const struct author *a, uint32_t *episode)
{
	uint32_t current[CHANNELS] = {0}, entered[CHANNELS][THREADS] = {{0}};
	bool left[CHANNELS] = {false};
	uint32_t last = 0;
	for (uint32_t j = 0; j < a->count; j++) {
		const struct dh_event *ev = &a->at[j];
		uint32_t b = ev->target;
		if (ev->op == DH_BARRIER_ENTER) {
			if (!current[b] || left[b]) {
				current[b] = ++last;
				left[b] = false;
			}
			episode[j] = entered[b][ev->thread] = current[b];
		} else if (ev->op == DH_BARRIER_LEAVE) {
			if (!current[b])
				current[b] = ++last;
			uint32_t in = entered[b][ev->thread];
			episode[j] = in ? in : current[b];
			left[b] |= episode[j] == current[b];
			entered[b][ev->thread] = 0;
		}
	}
}

static void close_order(const struct author *a, struct closure *c)
{
	uint32_t episode[EVENTS] = {0};
	number_episodes(a, episode);
	for (int r = 0; r < DH_RELATIONS; r++) {
		for (uint32_t j = 0; j < a->count; j++) {
			uint64_t mask = 0;
			for (uint32_t i = 0; i < j; i++)
				if (a->at[i].thread == a->at[j].thread ||
				    is_edge(a, r == DH_STRONG, i, j, episode))
					mask |= c->before[r][i] | 1ull << i;
			c->before[r][j] = mask;
		}
	}
}

static void close_trace(const struct author *a, struct closure *c)
{
	uint32_t write[THREADS] = {0}, read[THREADS] = {0}, generation[VARS] = {0};
	close_order(a, c);
	for (uint32_t j = 0; j < a->count; j++) {
		const struct dh_event *ev = &a->at[j];
		uint32_t bit = 1u << (ev->target % 32);
		write[ev->thread] |= ev->op == DH_ACQUIRE ? bit : 0;
		write[ev->thread] &= ev->op == DH_RELEASE ? ~bit : ~0u;
		read[ev->thread] |= ev->op == DH_READ_ACQUIRE ? bit : 0;
		read[ev->thread] &= ev->op == DH_READ_RELEASE ? ~bit : ~0u;
		if (ev->op == DH_ALLOC)
			generation[ev->target]++;
		if (!dh_op_is_access(ev->op))
			continue;
		c->locks[j] =
		    write[ev->thread] | (ev->op == DH_READ ? read[ev->thread] : 0);
		c->generation[j] = generation[ev->target];
		c->place[j] = 2 * (ev->site ? ev->site : 8 + j) + ev->op;
	}
}

/* Do the accesses i < j race, by strong, or by weak and locksets? */
static bool races(const struct author *a, const struct closure *c, enum dh_relation r,
		  uint32_t i, uint32_t j)
{
	const struct dh_event *e = &a->at[i], *f = &a->at[j];
	if (!dh_op_is_access(e->op) || !dh_op_is_access(f->op) ||
	    e->target != f->target || e->thread == f->thread ||
	    (e->op == DH_READ && f->op == DH_READ) ||
	    c->generation[i] != c->generation[j] || (c->before[r][j] >> i & 1))
		return false;
	return r == DH_STRONG || !(c->locks[i] & c->locks[j]);
}

/* The racing (place, place, variable) among the accesses that `passed`, or all. */
static void collect(const struct author *a, const struct closure *c, enum dh_relation r,
		    const bool *passed, uint8_t found[VARS][KINDS][KINDS])
{
	memset(found, 0, VARS * KINDS * KINDS);
	for (uint32_t j = 0; j < a->count; j++)
		for (uint32_t i = 0; i < j; i++)
			if (races(a, c, r, i, j) && (!passed || (passed[i] && passed[j])))
				found[a->at[i].target][DH_MIN(c->place[i], c->place[j])]
				     [DH_MAX(c->place[i], c->place[j])] = 1;
}

/* ---- runs ---- */

enum { REPORTS = 4096 };

struct run {
	struct dh_race figure2[REPORTS], pairs[REPORTS];
	unsigned figure2_count, pairs_count;
	bool passed[EVENTS];
	uint64_t accesses, seen, dropped, intra, inter, late, histories, evicted;
};

static void on_race(void *context, struct dh_engine *e, const struct dh_race *race)
{
	struct run *run = context;
	bool basic = e->ops == &figure2;
	unsigned *count = basic ? &run->figure2_count : &run->pairs_count;
	assert_true(*count < REPORTS);
	(basic ? run->figure2 : run->pairs)[(*count)++] = *race;
}

static void count(struct run *run, const struct dh_filter *f)
{
	const struct dh_counter *list = f->ops->counters;
	run->seen = dh_counter_value(f, list, "filter_seen");
	run->dropped = dh_counter_value(f, list, "filter_dropped");
	run->intra = dh_counter_value(f, list, "intra_thread");
	run->inter = dh_counter_value(f, list, "inter_thread");
	run->late = dh_counter_value(f, list, "parked_forwarded");
	run->histories = dh_counter_value(f, list, "histories");
	run->evicted = dh_counter_value(f, list, "evicted");
}

static void play(const struct author *a, const struct dh_filter_ops *filter,
		 uint32_t limit, uint32_t clock_limit, struct run *run)
{
	size_t memory = dh_mem_in_use();
	memset(run, 0, sizeof *run);
	struct dh_stream *s = dh_stream_new(&(struct dh_stream_config){
	    .on_race = on_race, .context = run, .clock_limit = clock_limit});
	struct recorder *rec = (struct recorder *)dh_stream_add(s, &recorder);
	dh_stream_add(s, &figure2);
	dh_stream_add(s, &pairs);
	struct dh_filter *f = filter ? dh_stream_set_filter(s, filter) : NULL;
	if (f)
		f->limit = limit;
	for (uint32_t i = 0; i < a->count; i++) {
		dh_stream_feed(s, &a->at[i]);
		run->accesses += dh_op_is_access(a->at[i].op);
	}
	memcpy(run->passed, rec->got, sizeof run->passed);
	if (f) {
		count(run, f);
		assert_int_equal(run->seen, run->accesses);
		assert_int_equal(run->dropped, run->accesses - rec->count);
	}
	dh_stream_free(s);
	assert_int_equal(dh_mem_in_use(), memory);
}

/* ---- comparisons ---- */

static void assert_same_triples(const struct author *a, const struct closure *c,
				enum dh_relation r, const struct run *run, uint64_t seed)
{
	static uint8_t all[VARS][KINDS][KINDS], kept[VARS][KINDS][KINDS];
	collect(a, c, r, NULL, all);
	collect(a, c, r, run->passed, kept);
	if (memcmp(all, kept, sizeof all) != 0)
		fail_msg("seed %u: a racing pair of locations is lost", (unsigned)seed);
}

static void assert_same_figure2(const struct run *plain, const struct run *run,
				uint64_t seed)
{
	bool same = plain->figure2_count == run->figure2_count;
	for (unsigned i = 0; same && i < run->figure2_count; i++)
		same = plain->figure2[i].var == run->figure2[i].var &&
		       plain->figure2[i].second.index == run->figure2[i].second.index;
	if (!same)
		fail_msg("seed %u: Figure 2 reports otherwise", (unsigned)seed);
}

/* The earliest second access of a variable's generation; EVENTS: no race. */
static uint64_t earliest(const struct run *run, const struct closure *c, uint32_t var,
			 uint32_t generation)
{
	uint64_t least = EVENTS;
	for (unsigned i = 0; i < run->pairs_count; i++) {
		uint64_t second = run->pairs[i].second.index;
		if (run->pairs[i].var == var && c->generation[second] == generation)
			least = DH_MIN(least, second);
	}
	return least;
}

static void assert_same_earliest(const struct closure *c, const struct run *plain,
				 const struct run *run, uint64_t seed)
{
	for (uint32_t var = 0; var < VARS; var++)
		for (uint32_t g = 0; g < EVENTS; g++)
			if (earliest(plain, c, var, g) != earliest(run, c, var, g))
				fail_msg("seed %u: another first race", (unsigned)seed);
}

/* No false alarm, whatever was dropped or came late. */
static void assert_true_races(const struct author *a, const struct closure *c,
			      const struct run *run, uint64_t seed)
{
	for (unsigned i = 0; i < run->pairs_count; i++) {
		const struct dh_race *r = &run->pairs[i];
		if (r->first.index >= r->second.index ||
		    !races(a, c, DH_STRONG, (uint32_t)r->first.index,
			   (uint32_t)r->second.index))
			fail_msg("seed %u: a false alarm", (unsigned)seed);
	}
}

struct totals {
	uint64_t seen, dropped, inter, late, evicted;
};

static void add(struct totals *sum, const struct run *run)
{
	sum->seen += run->seen;
	sum->dropped += run->dropped;
	sum->inter += run->inter;
	sum->late += run->late;
	sum->evicted += run->evicted;
}

/* Seeds with few histories, and with few entries in the weak clocks, come in turn. */
static uint32_t limit_of(uint64_t seed)
{
	return seed % 5 == 0 ? 2 + (uint32_t)(seed / 5) % 12 : 0;
}

static void check_filter(const struct dh_filter_ops *filter, bool strong,
			 uint64_t first_seed, struct totals *sum)
{
	static struct author a;
	static struct closure c;
	static struct run plain, run;
	for (uint64_t seed = first_seed; seed < first_seed + TRACES; seed++) {
		generate(&a, seed);
		close_trace(&a, &c);
		play(&a, NULL, 0, 0, &plain);
		play(&a, filter, limit_of(seed), 0, &run);
		assert_int_equal(run.intra + run.inter, run.dropped);
		assert_true(!limit_of(seed) || run.histories <= limit_of(seed));
		assert_same_triples(&a, &c, DH_WEAK, &run, seed);
		assert_same_figure2(&plain, &run, seed);
		assert_true_races(&a, &c, &run, seed);
		if (strong) {
			assert_same_triples(&a, &c, DH_STRONG, &run, seed);
			assert_same_earliest(&c, &plain, &run, seed);
		}
		add(sum, &run);
		if (seed % 4 == 0) {
			play(&a, NULL, 0, 2 + seed % 3, &plain);
			play(&a, filter, limit_of(seed), 2 + seed % 3, &run);
			assert_same_figure2(&plain, &run, seed);
		}
	}
}

static void test_tree(void **state)
{
	(void)state;
	struct totals sum = {0};
	check_filter(&dh_filter_tree, false, 1000000, &sum);
	/* The traces must be worth it. */
	assert_true(sum.dropped * 4 > sum.seen);
	assert_true(sum.inter > TRACES / 10);
	assert_true(sum.late > TRACES / 10);
	assert_true(sum.evicted > TRACES);
}

static void test_tree_strict(void **state)
{
	(void)state;
	struct totals sum = {0};
	check_filter(&dh_filter_tree_strict, true, 2000000, &sum);
	assert_true(sum.dropped * 8 > sum.seen);
	assert_true(sum.inter > TRACES / 10);
	assert_true(sum.late > TRACES / 10);
	assert_true(sum.evicted > TRACES);
}

static void test_span(void **state)
{
	(void)state;
	static struct author a;
	static struct closure c;
	static struct run plain, run;
	uint64_t dropped = 0;
	for (uint64_t seed = 3000000; seed < 3000000 + TRACES; seed++) {
		generate(&a, seed);
		close_trace(&a, &c);
		play(&a, NULL, 0, 0, &plain);
		play(&a, &dh_filter_span, limit_of(seed), 0, &run);
		assert_true_races(&a, &c, &run, seed);
		assert_same_earliest(&c, &plain, &run, seed);
		dropped += run.dropped;
	}
	assert_true(dropped > TRACES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_tree),
	    cmocka_unit_test(test_tree_strict),
	    cmocka_unit_test(test_span),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
