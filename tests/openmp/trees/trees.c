/* SPDX-License-Identifier: MIT */
/*
 * A tree of tasks that read three variables, and now and then write one, take a lock, wait
 * for their children or for a group: all by a random number. It keeps book of what comes
 * after what, in functions that are not instrumented, and prints a bit for each variable
 * on which there is a race.
 *
 *	trees SEED MOST     at most so many tasks
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __clang__
#define ASIDE __attribute__((noinline, disable_sanitizer_instrumentation))
#else
#define ASIDE __attribute__((noinline, no_sanitize("thread")))
#endif

enum { TASKS = 64, EVENTS = 4096, DEEPEST = 4, VARIABLES = 3 };

long x0, x1, x2;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

typedef int clock_of[TASKS];

struct group {
	struct group *outer;
	clock_of ends;
};

struct task {
	int id, depth;
	unsigned random;
	clock_of clock, ends; /* what it knows; what its children's ends left */
	struct task *parent;
	struct group *group;
};

static struct task tasks[TASKS];
static int most, made = 1;
static unsigned seed;
static struct event {
	int task, when, write, variable;
	clock_of clock;
} events[EVENTS];
static int happened;
static clock_of lock_clock;
static int busy;

/* ---- the book ---- */

ASIDE static void begin(void)
{
	while (__sync_lock_test_and_set(&busy, 1))
		;
}

ASIDE static void end(void)
{
	__sync_lock_release(&busy);
}

ASIDE static void learn(int *clock, const int *from)
{
	for (int i = 0; i < TASKS; i++)
		if (from[i] > clock[i])
			clock[i] = from[i];
}

ASIDE static void teach(int *clock, const int *from)
{
	begin();
	learn(clock, from);
	end();
}

ASIDE static unsigned below(struct task *t, unsigned limit)
{
	t->random = t->random * 1664525u + 1013904223u;
	return (t->random >> 8) % limit;
}

ASIDE static struct task *child_of(struct task *t)
{
	begin();
	struct task *c = made < most && t->depth < DEEPEST ? &tasks[made] : NULL;
	if (c) {
		c->id = made++;
		c->depth = t->depth + 1;
		c->parent = t;
		c->group = t->group;
		c->random = seed * 7919u + (t->random ^ t->random >> 7) * 31u;
		learn(c->clock, t->clock);
		c->clock[c->id] = 1;
		t->clock[t->id]++;
	}
	end();
	return c;
}

ASIDE static void ended(struct task *t)
{
	teach(t->parent->ends, t->clock);
	for (struct group *g = t->group; g; g = g->outer)
		teach(g->ends, t->clock);
}

ASIDE static void unlocking(struct task *t)
{
	teach(lock_clock, t->clock);
	t->clock[t->id]++;
}

ASIDE static void note(const struct task *t, int variable, int write)
{
	begin();
	struct event *e = &events[happened < EVENTS - 1 ? happened++ : happened];
	e->task = t->id;
	e->when = t->clock[t->id];
	e->write = write;
	e->variable = variable;
	learn(e->clock, t->clock);
	end();
}

static int raced(void)
{
	int found = 0;
	for (int i = 0; i < happened; i++)
		for (int j = 0; j < i; j++) {
			const struct event *a = &events[i], *b = &events[j];
			if (a->variable == b->variable && (a->write || b->write) &&
			    a->clock[b->task] < b->when && b->clock[a->task] < a->when)
				found |= 1 << a->variable;
		}
	return found;
}

/* ---- what is watched ---- */

#define USE(n)                                                                           \
	__attribute__((noinline)) static void use##n(int write)                          \
	{                                                                                \
		if (write)                                                               \
			x##n = 1;                                                        \
		else                                                                     \
			__asm__ volatile("" : : "r"(x##n));                              \
	}

USE(0)
USE(1)
USE(2)

ASIDE static void use(struct task *t, int write)
{
	static void (*const uses[])(int) = {use0, use1, use2};
	int variable = (int)below(t, 8) % VARIABLES;
	note(t, variable, write);
	uses[variable](write);
}

static void work(struct task *t);

ASIDE static void make_task(struct task *t)
{
	struct task *c = child_of(t);
	if (!c)
		return;
#pragma omp task firstprivate(c)
	{
		work(c);
		ended(c);
	}
}

ASIDE static void wait_for_children(struct task *t)
{
#pragma omp taskwait
	teach(t->clock, t->ends);
}

ASIDE static void with_group(struct task *t)
{
	struct group g = {.outer = t->group};
	t->group = &g;
#pragma omp taskgroup
	for (unsigned n = 1 + below(t, 3); n; n--) {
		make_task(t);
		if (below(t, 2))
			use(t, 0);
	}
	t->group = g.outer;
	teach(t->clock, g.ends);
}

ASIDE static void with_lock(struct task *t)
{
	pthread_mutex_lock(&mutex);
	teach(t->clock, lock_clock);
	if (below(t, 2))
		use(t, below(t, 5) == 0);
	unlocking(t);
	pthread_mutex_unlock(&mutex);
}

ASIDE static void work(struct task *t)
{
	for (unsigned steps = 2 + below(t, 6) + (t->depth ? 0 : 6); steps; steps--) {
		unsigned what = below(t, 32);
		if (what < 8)
			use(t, 0);
		else if (what < 10)
			use(t, below(t, 8) == 0);
		else if (what < 20)
			make_task(t);
		else if (what < 23)
			wait_for_children(t);
		else if (what < 25)
			with_group(t);
		else if (what < 30)
			with_lock(t);
	}
	if (below(t, 4))
		wait_for_children(t);
}

ASIDE int main(int argc, char **argv)
{
	struct task *root = &tasks[0];
	if (argc != 3)
		return 2;
	seed = (unsigned)atoi(argv[1]);
	most = atoi(argv[2]) < TASKS ? atoi(argv[2]) : TASKS;
	root->random = seed * 2654435761u;
	root->clock[0] = 1;
#pragma omp parallel
#pragma omp single
	work(root);
	printf("%d\n", raced());
	return 0;
}
