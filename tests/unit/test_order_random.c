/* SPDX-License-Identifier: MIT */
/*
 * The two orders over random traces, against a transitive closure computed from the
 * definition in the trace format: threads that come and go, locks in both modes,
 * messages, volatiles, and barriers with stragglers that leave an episode after the
 * next one has opened.
 */
#include "dice.h"
#include "clock/order.h"

#include <string.h>

enum {
	EVENTS = 96,
	WORDS = (EVENTS + 63) / 64,
	THREADS = 10,
	THINGS = 3, /* locks, messages, volatiles, barriers of each kind */
	EPISODES = EVENTS + THINGS,
};

struct closure {
	uint64_t before[EVENTS][WORDS]; /* reflexive */
};

/* A trace being made, its naive model, and the orders under test. */
struct play {
	struct dice dice;
	struct dh_order_config config;
	struct dh_order order;
	struct dh_party party[THREADS];
	int last[THREADS]; /* event; -1: none yet */
	int forked_by[THREADS];
	bool started[THREADS], ended[THREADS];
	uint32_t threads;
	int writer[THINGS]; /* who holds it; -1 */
	bool reader[THINGS][THREADS];
	int episode_of[THINGS][THREADS]; /* entered and not left; -1 */
	int current[THINGS];		 /* episode; -1 */
	bool left[EPISODES];
	uint64_t entered[EPISODES][WORDS];
	int episodes;
	uint64_t write_released[THINGS][WORDS], read_released[THINGS][WORDS];
	uint64_t sent[THINGS][WORDS], vwritten[THINGS][WORDS];
	struct closure rel[DH_RELATIONS];
	bool is_access[EVENTS];
	dh_epoch epoch[EVENTS];
	int events;
};

static void set_bit(uint64_t *bits, int i)
{
	bits[i / 64] |= 1ull << (i % 64);
}

static bool has_bit(const uint64_t *bits, int i)
{
	return bits[i / 64] >> (i % 64) & 1;
}

static void edge(struct play *p, int r, int from, int to)
{
	for (int w = 0; w < WORDS; w++)
		p->rel[r].before[to][w] |= p->rel[r].before[from][w];
}

static void edges(struct play *p, int r, const uint64_t *from, int to)
{
	for (int i = 0; i < to; i++)
		if (has_bit(from, i))
			edge(p, r, i, to);
}

static void edges_both(struct play *p, const uint64_t *from, int to)
{
	edges(p, DH_STRONG, from, to);
	edges(p, DH_WEAK, from, to);
}

/* A new event of a thread, after its last one or after its fork. */
static int new_event(struct play *p, uint32_t t)
{
	int e = p->events++;
	for (int r = 0; r < DH_RELATIONS; r++) {
		set_bit(p->rel[r].before[e], e);
		if (p->last[t] >= 0)
			edge(p, r, p->last[t], e);
		else if (p->forked_by[t] >= 0)
			edge(p, r, p->forked_by[t], e);
	}
	p->last[t] = e;
	return e;
}

static void begin(struct play *p, uint32_t t, int fork, struct dh_party *parent)
{
	p->party[t].id = t;
	p->started[t] = true;
	p->forked_by[t] = fork;
	p->last[t] = -1;
	dh_order_start(&p->order, &p->party[t], parent);
	p->threads = t + 1;
}

static void play_open(struct play *p, uint64_t seed, const struct dh_order_config *c)
{
	memset(p, 0, sizeof *p);
	p->dice.state = seed;
	p->config = *c;
	memset(p->writer, -1, sizeof p->writer);
	memset(p->episode_of, -1, sizeof p->episode_of);
	memset(p->current, -1, sizeof p->current);
	dh_order_init(&p->order, c);
	begin(p, 0, -1, NULL);
}

static void play_close(struct play *p)
{
	for (uint32_t t = 0; t < p->threads; t++)
		dh_order_end(&p->order, &p->party[t]);
	dh_order_free(&p->order);
}

/* Records an access and asks about all earlier ones. */
static void do_access(struct play *p, uint32_t t)
{
	int e = new_event(p, t);
	struct dh_party *party = &p->party[t];
	for (int r = 0; r < DH_RELATIONS; r++) {
		bool exact = r == DH_STRONG || p->config.clock_limit == 0;
		for (int i = 0; p->config.relation[r] && i < e; i++) {
			if (!p->is_access[i])
				continue;
			bool got = dh_order_epoch_before(party, r, p->epoch[i]);
			bool want = has_bit(p->rel[r].before[e], i);
			if (got != want && (exact || got))
				fail_msg("relation %d: event %d before %d: %d, want %d",
					 r, i, e, got, want);
		}
	}
	p->is_access[e] = true;
	p->epoch[e] = dh_epoch_make(party->slot, party->clock);
}

static bool holds_any(const struct play *p, uint32_t t)
{
	for (int l = 0; l < THINGS; l++)
		if (p->writer[l] == (int)t || p->reader[l][t])
			return true;
	return false;
}

static bool read_held(const struct play *p, uint32_t l)
{
	for (int t = 0; t < THREADS; t++)
		if (p->reader[l][t])
			return true;
	return false;
}

/* Acquires or releases lock l, as its state allows. */
static void do_lock(struct play *p, uint32_t t, uint32_t l)
{
	bool write = dice_chance(&p->dice, 60);
	if (p->writer[l] == (int)t || p->reader[l][t]) {
		write = p->writer[l] == (int)t;
		int e = new_event(p, t);
		set_bit(write ? p->write_released[l] : p->read_released[l], e);
		dh_order_release(&p->order, &p->party[t], l, write);
		p->reader[l][t] = false;
		p->writer[l] = write ? -1 : p->writer[l];
	} else if (p->writer[l] < 0 && !(write && read_held(p, l))) {
		int e = new_event(p, t);
		edges(p, DH_STRONG, p->write_released[l], e);
		if (write)
			edges(p, DH_STRONG, p->read_released[l], e);
		dh_order_acquire(&p->order, &p->party[t], l, write);
		p->reader[l][t] = !write;
		p->writer[l] = write ? (int)t : -1;
	}
}

static void do_fork(struct play *p, uint32_t t)
{
	if (p->threads == THREADS)
		return;
	if (dice_chance(&p->dice, 10)) {
		begin(p, p->threads, -1, NULL); /* one that starts by itself */
		return;
	}
	int e = new_event(p, t);
	begin(p, p->threads, e, &p->party[t]);
}

/* Joins a thread that holds nothing, perhaps one that was joined before. */
static void do_join(struct play *p, uint32_t t, uint32_t child)
{
	if (child == t || holds_any(p, child))
		return;
	int e = new_event(p, t);
	for (int r = 0; r < DH_RELATIONS; r++) {
		int last = p->last[child] >= 0 ? p->last[child] : p->forked_by[child];
		if (last >= 0)
			edge(p, r, last, e);
	}
	p->ended[child] = true;
	dh_order_join(&p->order, &p->party[t], &p->party[child]);
}

static void do_message(struct play *p, uint32_t t, uint32_t m, bool is_volatile)
{
	uint64_t *sent = is_volatile ? p->vwritten[m] : p->sent[m];
	int e = new_event(p, t);
	if (dice_chance(&p->dice, 50)) {
		set_bit(sent, e);
		(is_volatile ? dh_order_volatile_write : dh_order_send)(&p->order,
									&p->party[t], m);
	} else {
		edges_both(p, sent, e);
		(is_volatile ? dh_order_volatile_read
			     : dh_order_receive)(&p->order, &p->party[t], m);
	}
}

static int current_episode(struct play *p, uint32_t b, bool open)
{
	if (p->current[b] < 0 || (open && p->left[p->current[b]]))
		p->current[b] = p->episodes++;
	return p->current[b];
}

/* Enters and leaves in any order: stragglers, leaves without an enter, enters
 * without a leave. */
static void do_barrier(struct play *p, uint32_t t, uint32_t b)
{
	int e = new_event(p, t);
	bool inside = p->episode_of[b][t] >= 0;
	if (dice_chance(&p->dice, inside ? 15 : 85)) {
		int episode = current_episode(p, b, true);
		p->episode_of[b][t] = episode;
		set_bit(p->entered[episode], e);
		dh_order_barrier_enter(&p->order, &p->party[t], b);
		return;
	}
	int episode = inside ? p->episode_of[b][t] : current_episode(p, b, false);
	bool first = !p->left[episode];
	p->left[episode] = true;
	p->episode_of[b][t] = -1;
	edges_both(p, p->entered[episode], e);
	assert_int_equal(dh_order_barrier_leave(&p->order, &p->party[t], b), first);
}

static void step(struct play *p)
{
	uint32_t t = dice_roll(&p->dice, p->threads), thing = dice_roll(&p->dice, THINGS);
	if (p->ended[t])
		return;
	switch (dice_roll(&p->dice, 12)) {
	case 0:
	case 1:
		do_fork(p, t);
		break;
	case 2:
		do_join(p, t, dice_roll(&p->dice, p->threads));
		break;
	case 3:
		do_message(p, t, thing, false);
		break;
	case 4:
		do_message(p, t, thing, true);
		break;
	case 5:
	case 6:
		do_barrier(p, t, thing);
		break;
	case 7:
	case 8:
		do_lock(p, t, thing);
		break;
	default:
		do_access(p, t);
	}
}

/* A small random trace; at its end every living thread asks once more. */
static void play(uint64_t seed, const struct dh_order_config *config)
{
	static struct play p;
	play_open(&p, seed, config);
	/* A step may do nothing; the bound keeps a stuck trace from going on. */
	for (int i = 0; i < 4 * EVENTS && p.events < EVENTS - THREADS; i++)
		step(&p);
	for (uint32_t t = 0; t < p.threads; t++)
		if (!p.ended[t])
			do_access(&p, t);
	play_close(&p);
}

static void test_random(void **state)
{
	(void)state;
	static const struct dh_order_config configs[] = {
	    {.relation = {true, true}},
	    {.relation = {true, false}},
	    {.relation = {false, true}},
	    {.relation = {true, true}, .clock_max = 5},
	    {.relation = {true, false}, .clock_max = 1},
	    {.relation = {true, true}, .clock_limit = 2},
	    {.relation = {false, true}, .clock_limit = 3, .clock_max = 5},
	};
	size_t in_use = dh_mem_in_use();
	for (size_t c = 0; c < DH_ARRAY_LEN(configs); c++)
		for (uint64_t seed = 0; seed < 1500; seed++)
			play(dh_mix(seed * 16 + c + 1), &configs[c]);
	assert_int_equal(dh_mem_in_use(), in_use);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
