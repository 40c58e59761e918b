/* SPDX-License-Identifier: MIT */
/* Threads walk one calling-context tree at once, with signals that interrupt them
 * and use the same cursor: equal stacks have equal nodes in all threads, stacks
 * come back whole, and a tree that is too small loses frames but nothing else. */
#include "crew.h"
#include "context/context.h"
#include "context/cursor.h"

#include <signal.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 4, STEPS = 20000, PCS = 5, AGREED = 5, DEEPEST = 12, PARADE = 20000 };

#ifdef UNDER_TSAN
enum { PEST_NS = 2000000 }; /* a signal is a long affair there */
#else
enum { PEST_NS = 50000 };
#endif

struct shared {
	struct dh_context_tree *tree;
	bool small;
	uint32_t node[1 << 16]; /* by the code of a short stack */
	uint32_t site[1 << 16];
	uint32_t parade_node[PARADE];
	uint32_t parade_site[PARADE];
};

/* What the signal handler of a thread needs: not for the thread itself. */
static _Thread_local struct {
	struct dh_context_tree *tree;
	struct dh_cursor *cursor;
	uint32_t count;
} handler;

static void on_signal(int number)
{
	(void)number;
	if (!handler.cursor)
		return;
	uint32_t depth = dh_cursor_depth(handler.cursor);
	for (uint64_t i = 0; i < 4; i++)
		dh_cursor_enter(handler.tree, handler.cursor,
				0x777000 + (handler.count++ % 64) * 4 + i);
	uint32_t node = dh_cursor_node(handler.cursor);
	uint32_t site = dh_site_make(handler.tree, node, 0x44);
	if (node != DH_CONTEXT_LOST && site != DH_SITE_UNKNOWN)
		REQUIRE(dh_context_walk(handler.tree, site, NULL, 0) == depth + 4 + 1);
	for (int i = 0; i < 4; i++)
		dh_cursor_exit(handler.cursor);
	REQUIRE(dh_cursor_depth(handler.cursor) == depth);
}

/* Signals are for the crew: the main thread has no cursor. */
static void mask_signals(int how)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(how, &set, NULL);
}

static void check(struct shared *s, const struct dh_cursor *c, const uint64_t *stack,
		  uint32_t depth)
{
	uint64_t pcs[DEEPEST + 1];
	REQUIRE(dh_cursor_depth(c) == depth);
	uint32_t site = dh_site_make(s->tree, dh_cursor_node(c), 0x42);
	uint32_t n = dh_context_walk(s->tree, site, pcs, DEEPEST + 1);
	if (s->small && (dh_cursor_node(c) == DH_CONTEXT_LOST || site == DH_SITE_UNKNOWN))
		return;
	REQUIRE(n == depth + 1 && pcs[0] == 0x42);
	uint32_t code = 1;
	for (uint32_t i = 0; i < depth; i++) {
		REQUIRE(pcs[n - 1 - i] == stack[i]);
		code = code * PCS + (uint32_t)(stack[i] % 0x100 / 7);
	}
	if (depth > AGREED)
		return;
	agree(&s->node[code], dh_cursor_node(c));
	agree(&s->site[code], site);
}

/* All enter the same new contexts in the same order at the same time, so that they
 * meet in the act of inserting. */
static void parade(struct hand *h)
{
	struct shared *s = h->shared;
	for (uint32_t i = 0; i < PARADE; i++) {
		uint32_t node = dh_context_enter(s->tree, DH_CONTEXT_ROOT, 0x900000 + i);
		uint32_t site = dh_site_make(s->tree, node, 0x43);
		agree(&s->parade_node[i], node);
		agree(&s->parade_site[i], site);
	}
	pthread_barrier_wait(h->gate);
}

static void work(struct hand *h)
{
	struct shared *s = h->shared;
	struct dh_cursor c;
	uint64_t stack[DEEPEST];
	uint32_t depth = 0;
	if (!s->small)
		parade(h);
	mask_signals(SIG_UNBLOCK);
	dh_cursor_open(&c, 0);
	handler.tree = s->tree;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	handler.cursor = &c;
	for (int step = 0; step < STEPS; step++) {
		if (depth < DEEPEST && roll(h, 100) < 52) {
			/* Differs by depth: nothing folds. */
			stack[depth] = (depth + 1) * 0x100 + roll(h, PCS) * 7;
			dh_cursor_enter(s->tree, &c, stack[depth++]);
		} else if (depth > 0) {
			dh_cursor_exit(&c);
			depth--;
		}
		check(s, &c, stack, depth);
	}
	handler.cursor = NULL;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	dh_cursor_close(&c);
}

static void round_of(struct shared *s, uint64_t seed, bool small)
{
	struct dh_context_config config = {.nodes = small ? 3000 : 0,
					   .sites = small ? 300 : 0};
	memset(s, 0, sizeof *s);
	s->small = small;
	s->tree = dh_context_tree_new(&config);
	crew_run(work, s, seed);
	struct dh_context_stats stats;
	dh_context_get_stats(s->tree, &stats);
	REQUIRE((stats.lost_nodes > 0) == small);
	REQUIRE((stats.lost_sites > 0) == small);
	REQUIRE(!small || (stats.nodes <= 3000 && stats.sites <= 300));
	dh_context_tree_free(s->tree);
}

/* Signals at moments that the program does not choose. */
static void set_pest(timer_t *timer)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	struct itimerspec every = {{0, PEST_NS}, {0, PEST_NS}};
	REQUIRE(timer_create(CLOCK_MONOTONIC, &event, timer) == 0);
	REQUIRE(timer_settime(*timer, 0, &every, NULL) == 0);
}

int main(void)
{
	static struct shared s;
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	timer_t timer;
	REQUIRE(sigaction(SIGUSR1, &action, NULL) == 0);
	mask_signals(SIG_BLOCK);
	set_pest(&timer);
	for (uint64_t round = 0; round < ROUNDS; round++)
		round_of(&s, round + 1, round % 2);
	timer_delete(timer);
	return 0;
}
