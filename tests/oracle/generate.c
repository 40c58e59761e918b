/* SPDX-License-Identifier: MIT */
/* Random traces from interleaved scripts; see generate.h. */
#include "generate.h"

#include <string.h>

enum { SCRIPT = 16 };

/* What a thread is about to do. */
struct script {
	uint32_t head, tail;
	struct dh_event steps[SCRIPT];
};

struct author {
	const struct generator *g;
	struct rng rng;
	struct world world;
	struct script scripts[WORLD_THREADS];
	struct trace *trace;
};

static void put(struct author *a, uint32_t thread, enum dh_op op, uint32_t target)
{
	struct script *s = &a->scripts[thread];
	if (s->tail == SCRIPT)
		return;
	s->steps[s->tail++] =
	    (struct dh_event){.thread = thread, .op = (uint8_t)op, .target = target};
}

static uint32_t pick(struct author *a, uint32_t n)
{
	return rng_below(&a->rng, n);
}

static void put_access(struct author *a, uint32_t thread, uint32_t var)
{
	put(a, thread, rng_percent(&a->rng, a->g->writes) ? DH_WRITE : DH_READ, var);
}

/* One to three accesses, mostly to one variable. */
static void put_accesses(struct author *a, uint32_t thread, uint32_t var)
{
	for (uint32_t n = rng_range(&a->rng, 1, 3); n > 0; n--)
		put_access(a, thread, pick(a, 5) ? var : pick(a, a->g->vars));
}

/* The lock that the discipline gives to a variable, or any. */
static uint32_t lock_for(struct author *a, uint32_t var)
{
	return rng_percent(&a->rng, a->g->discipline) ? var % a->g->locks
						      : pick(a, a->g->locks);
}

static void put_locked(struct author *a, uint32_t t, uint32_t x)
{
	uint32_t l = lock_for(a, x), second = pick(a, a->g->locks);
	bool two = pick(a, 4) == 0 && second != l;
	put(a, t, DH_ACQUIRE, l);
	if (two)
		put(a, t, DH_ACQUIRE, second);
	put_accesses(a, t, x);
	put(a, t, DH_RELEASE, l); /* hand over hand where there are two */
	if (two) {
		put_access(a, t, x);
		put(a, t, DH_RELEASE, second);
	}
}

static void put_held(struct author *a, uint32_t t, uint32_t x)
{
	uint32_t l = lock_for(a, x);
	put_access(a, t, x);
	put(a, t, DH_ACQUIRE, l);
	put_accesses(a, t, x);
	if (pick(a, 3))
		put(a, t, DH_RELEASE, l);
	put_access(a, t, x);
}

static void put_read_locked(struct author *a, uint32_t t, uint32_t x)
{
	uint32_t l = lock_for(a, x);
	put(a, t, DH_READ_ACQUIRE, l);
	if (pick(a, 4))
		put(a, t, DH_READ, x);
	else
		put_access(a, t,
			   x); /* perhaps a write, which read mode does not protect */
	put(a, t, DH_READ_RELEASE, l);
}

/* Write mode inside read mode or the other way round, closed in either order. */
static void put_upgrade(struct author *a, uint32_t t, uint32_t x)
{
	uint32_t l = lock_for(a, x);
	bool up = pick(a, 2), early = pick(a, 2);
	put(a, t, up ? DH_READ_ACQUIRE : DH_ACQUIRE, l);
	put(a, t, DH_READ, x);
	put(a, t, up ? DH_ACQUIRE : DH_READ_ACQUIRE, l);
	put_access(a, t, x);
	put(a, t, early ? DH_RELEASE : DH_READ_RELEASE, l);
	put_access(a, t, x);
	put(a, t, early ? DH_READ_RELEASE : DH_RELEASE, l);
}

static void put_reentrant(struct author *a, uint32_t t, uint32_t x)
{
	uint32_t l = lock_for(a, x);
	bool read = pick(a, 3) == 0;
	enum dh_op take = read ? DH_READ_ACQUIRE : DH_ACQUIRE;
	enum dh_op drop = read ? DH_READ_RELEASE : DH_RELEASE;
	put(a, t, take, l);
	put(a, t, take, l);
	put_access(a, t, x);
	put(a, t, drop, l);
	put_access(a, t, x);
	put(a, t, drop, l);
}

static void put_barrier(struct author *a, uint32_t t)
{
	uint32_t n = a->g->channels < WORLD_BARRIERS ? a->g->channels : WORLD_BARRIERS;
	uint32_t b = pick(a, n);
	put(a, t, DH_BARRIER_ENTER, b);
	if (pick(a, 8) == 0)
		put_access(a, t, pick(a, a->g->vars)); /* a handler that ran inside */
	put(a, t, DH_BARRIER_LEAVE, b);
}

/* A thread that has not begun, if there is one. */
static uint32_t fresh_thread(struct author *a)
{
	uint32_t t = pick(a, a->g->threads);
	for (uint32_t i = 0; i < a->g->threads && a->world.threads[t].begun; i++)
		t = (t + 1) % a->g->threads;
	return t;
}

/* The child has a script at once, so that it is not joined empty-handed. */
static void put_task(struct author *a, uint32_t t)
{
	uint32_t child = fresh_thread(a);
	put(a, t, DH_FORK, child);
	put_access(a, t, pick(a, a->g->vars));
	if (pick(a, 4))
		put(a, t, DH_RECEIVE, pick(a, a->g->channels));
	put(a, t, DH_JOIN, child);
	put_access(a, child, pick(a, a->g->vars));
	put(a, child, DH_SEND, pick(a, a->g->channels));
}

static void put_gather(struct author *a, uint32_t t, uint32_t x)
{
	uint32_t child = pick(a, a->g->threads);
	for (uint32_t n = rng_range(&a->rng, 1, 3); n > 0; n--)
		put(a, t, DH_JOIN, child++ % a->g->threads);
	put_access(a, t, x);
}

static void put_method(struct author *a, uint32_t t, uint32_t x)
{
	uint32_t m = pick(a, WORLD_METHODS);
	put(a, t, DH_METHOD_BEGIN, m);
	if (pick(a, 2))
		put_access(a, t, x);
	put(a, t, DH_METHOD_END, m);
}

static void write_script(struct author *a, uint32_t t, enum idiom idiom)
{
	uint32_t x = pick(a, a->g->vars), c = pick(a, a->g->channels);
	switch (idiom) {
	case IDIOM_ACCESS:
		put_accesses(a, t, x);
		break;
	case IDIOM_LOCKED:
		put_locked(a, t, x);
		break;
	case IDIOM_HELD:
		put_held(a, t, x);
		break;
	case IDIOM_READ_LOCK:
		put_read_locked(a, t, x);
		break;
	case IDIOM_UPGRADE:
		put_upgrade(a, t, x);
		break;
	case IDIOM_REENTER:
		put_reentrant(a, t, x);
		break;
	case IDIOM_GATHER:
		put_gather(a, t, x);
		break;
	case IDIOM_TASK:
		put_task(a, t);
		break;
	case IDIOM_FORK:
		put(a, t, DH_FORK, fresh_thread(a));
		break;
	case IDIOM_JOIN:
		put(a, t, DH_JOIN, pick(a, a->g->threads));
		break;
	case IDIOM_SEND:
		put_access(a, t, x);
		put(a, t, DH_SEND, c);
		break;
	case IDIOM_RECEIVE:
		put(a, t, DH_RECEIVE, c);
		put_access(a, t, x);
		break;
	case IDIOM_BARRIER:
		put_barrier(a, t);
		break;
	case IDIOM_LEAVE:
		put(a, t, DH_BARRIER_LEAVE, c % WORLD_BARRIERS);
		break;
	case IDIOM_PUBLISH:
		put_access(a, t, x);
		put(a, t, DH_VOLATILE_WRITE, c);
		break;
	case IDIOM_CONSUME:
		put(a, t, DH_VOLATILE_READ, c);
		put_access(a, t, x);
		break;
	case IDIOM_ALLOC:
		put(a, t, DH_ALLOC, x);
		break;
	case IDIOM_METHOD:
		put_method(a, t, x);
		break;
	case IDIOM_COUNT:
		break;
	}
}

static enum idiom pick_idiom(struct author *a)
{
	uint32_t total = 0;
	for (int i = 0; i < IDIOM_COUNT; i++)
		total += a->g->weights[i];
	uint32_t at = pick(a, total);
	int i = 0;
	while (at >= a->g->weights[i])
		at -= a->g->weights[i++];
	return (enum idiom)i;
}

/* A thread that may run: one that has begun, or a root that has yet to. */
static uint32_t pick_thread(struct author *a, uint32_t last)
{
	if (rng_percent(&a->rng, a->g->burst) && !a->world.threads[last].joined)
		return last;
	for (;;) {
		uint32_t t = pick(a, a->g->threads);
		const struct world_thread *w = &a->world.threads[t];
		if (!w->joined && (w->begun || t < a->g->roots))
			return t;
	}
}

static void decorate(struct author *a, struct dh_event *ev)
{
	switch (a->g->sites) {
	case SITES_NONE:
		ev->site = DH_SITE_NONE;
		break;
	case SITES_BY_OP:
		ev->site = 1u + ev->op + (ev->thread ? 0 : DH_OP_COUNT);
		break;
	case SITES_UNIQUE:
		ev->site = a->trace->count + 1;
		break;
	default:
		ev->site = 1 + pick(a, a->g->sites);
		break;
	}
	if (ev->op == DH_METHOD_BEGIN && pick(a, 2)) {
		ev->reach = a->trace->reach;
		ev->reach_count = 1 + pick(a, 2);
	}
}

/* A thread whose next step is not possible now (a lock is taken, a join must wait)
 * sometimes gives it up, so that no trace comes to a standstill. Thread 0 is never
 * joined, so there is always one that can go on; one that never began seldom is. */
static void take_step(struct author *a, uint32_t t)
{
	struct script *s = &a->scripts[t];
	if (s->head == s->tail) {
		s->head = s->tail = 0;
		write_script(a, t, pick_idiom(a));
	}
	if (s->head == s->tail)
		return;
	struct dh_event ev = s->steps[s->head];
	bool barred =
	    ev.op == DH_JOIN &&
	    (ev.target == 0 || (!a->world.threads[ev.target].begun && pick(a, 20)));
	if (barred || !world_accepts(&a->world, &ev)) {
		s->head += pick(a, 3) == 0;
		return;
	}
	s->head++;
	decorate(a, &ev);
	ev.index = a->trace->count;
	a->trace->at[a->trace->count++] = ev;
}

void generate(const struct generator *g, struct trace *t)
{
	static struct author a;
	memset(&a, 0, sizeof a);
	a.g = g;
	a.rng.state = g->seed;
	a.trace = t;
	memset(t, 0, sizeof *t);
	t->reach[0] = pick(&a, g->vars);
	t->reach[1] = pick(&a, g->vars);
	uint32_t last = 0;
	while (t->count < g->events) {
		last = pick_thread(&a, last);
		take_step(&a, last);
	}
}

static uint32_t one_of(struct rng *r, const uint32_t *list, uint32_t n)
{
	return list[rng_below(r, n)];
}

/* Many alike: a few threads that do the same few things to the same few variables,
 * for what an engine or filter concludes from one thread to the next. */
static void make_alike(struct generator *g, struct rng *r)
{
	g->threads = rng_range(r, 3, 8);
	g->roots = rng_range(r, 1, g->threads);
	g->events = rng_range(r, 12, 60);
	g->vars = rng_range(r, 1, 2);
	g->locks = rng_range(r, 1, 2);
	g->channels = 1;
	g->sites = SITES_BY_OP;
	for (int i = 0; i < IDIOM_COUNT; i++)
		if (rng_percent(r, 50))
			g->weights[i] = 0;
	g->weights[IDIOM_ACCESS] += 2;
}

void generator_vary(struct generator *g, uint64_t seed)
{
	static const uint32_t weights[IDIOM_COUNT] = {
#define X(id, weight) weight,
	    IDIOMS(X)
#undef X
	};
	static const uint32_t threads[] = {2, 2, 3, 3, 4, 5, 8, 16, 32, 64};
	static const uint32_t sites[] = {SITES_NONE, 1,		  2,	       3,
					 20,	     SITES_BY_OP, SITES_UNIQUE};
	struct rng r = {seed * 0x2545f4914f6cdd1dull + 1};
	*g = (struct generator){.seed = rng_next(&r)};
	g->events = rng_percent(&r, 70) ? rng_range(&r, 20, 90) : rng_range(&r, 90, 400);
	g->threads = one_of(&r, threads, DH_ARRAY_LEN(threads));
	g->roots =
	    rng_percent(&r, 40) ? g->threads : rng_range(&r, 1, 1 + g->threads / 2);
	g->vars = rng_range(&r, 1, rng_percent(&r, 70) ? 4 : 12);
	g->locks = rng_range(&r, 1, rng_percent(&r, 80) ? 3 : WORLD_LOCKS);
	g->channels = rng_range(&r, 1, 3);
	g->sites = one_of(&r, sites, DH_ARRAY_LEN(sites));
	g->writes = rng_range(&r, 5, 95);
	g->discipline =
	    rng_percent(&r, 60) ? rng_range(&r, 80, 100) : rng_range(&r, 0, 80);
	g->burst = rng_range(&r, 0, 90);
	for (int i = 0; i < IDIOM_COUNT; i++)
		if (rng_percent(&r, 60))
			g->weights[i] = weights[i] * rng_range(&r, 1, 4);
	g->weights[IDIOM_LEAVE] = rng_percent(&r, 5);
	g->weights[IDIOM_LOCKED] += 2;
	if (rng_percent(&r, 30))
		make_alike(g, &r);
	if (g->roots == 1)
		g->weights[IDIOM_FORK] += 2;
}
