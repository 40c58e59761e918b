/* SPDX-License-Identifier: MIT */
/* Random small traces; see shapes.h. */
#include "shapes.h"
#include "rng.h"

/* What a trace has beside reads and writes, and of how many objects. */
enum part {
	LOCKS = 1,
	READ_LOCKS = 2,
	THREADS = 4,
	MESSAGES = 8,
	BARRIERS = 16,
	VOLATILES = 32,
	LIVES = 64,
	CALLS = 128,
	ALL = 255,
};

static const struct shape {
	uint8_t parts;
	uint8_t locks;	 /* how many */
	uint8_t objects; /* messages, barriers, volatiles: how many of each */
} shapes[] = {
    {0, 1, 1},
    {LOCKS, 1, 1}, /* and so again and again by the same thread */
    {LOCKS, 3, 1},
    {LOCKS | READ_LOCKS, 1, 1},
    {LOCKS | READ_LOCKS, 3, 1},
    {LOCKS | THREADS, 2, 1},
    {LOCKS | MESSAGES, 1, 1}, /* conditions: waiting gives the lock back */
    {LOCKS | MESSAGES, 2, 2},
    {MESSAGES, 1, 3}, /* semaphores, queues */
    {BARRIERS, 1, 2},
    {LOCKS | BARRIERS, 2, 1},
    {LOCKS | VOLATILES, 2, 2},
    {LOCKS | LIVES, 2, 1},
    {CALLS, 1, 1},
    {LOCKS | CALLS, 2, 1},
    {LOCKS | READ_LOCKS | THREADS | CALLS, 2, 1},
    {ALL, 2, 1},
    {ALL, 3, 2},
};

enum { SCRIPT = 8 };

struct author {
	struct rng rng;
	struct world world;
	const struct shape *shape;
	struct trace *trace;
	uint32_t threads, vars, sites;
	bool idioms;
	struct dh_event script[SMALL_THREADS][SCRIPT];
	uint32_t head[SMALL_THREADS], tail[SMALL_THREADS];
};

static uint32_t pick(struct author *a, uint32_t n)
{
	return rng_below(&a->rng, n);
}

/* ---- single events ---- */

static const struct {
	uint8_t part, op;
} single[] = {
    {0, DH_READ},
    {0, DH_READ},
    {0, DH_READ},
    {0, DH_WRITE},
    {0, DH_WRITE},
    {0, DH_WRITE},
    {LOCKS, DH_ACQUIRE},
    {LOCKS, DH_ACQUIRE},
    {LOCKS, DH_RELEASE},
    {LOCKS, DH_RELEASE},
    {READ_LOCKS, DH_READ_ACQUIRE},
    {READ_LOCKS, DH_READ_RELEASE},
    {THREADS, DH_FORK},
    {THREADS, DH_JOIN},
    {MESSAGES, DH_SEND},
    {MESSAGES, DH_RECEIVE},
    {BARRIERS, DH_BARRIER_ENTER},
    {BARRIERS, DH_BARRIER_LEAVE},
    {VOLATILES, DH_VOLATILE_READ},
    {VOLATILES, DH_VOLATILE_WRITE},
    {LIVES, DH_ALLOC},
    {CALLS, DH_METHOD_BEGIN},
    {CALLS, DH_METHOD_END},
};

static uint8_t some_op(struct author *a)
{
	for (;;) {
		uint32_t i = pick(a, DH_ARRAY_LEN(single));
		if ((single[i].part & ~a->shape->parts) == 0)
			return single[i].op;
	}
}

static uint32_t some_target(struct author *a, uint8_t op)
{
	switch (dh_op_kind(op)) {
	case DH_NAME_VAR:
		return pick(a, a->vars);
	case DH_NAME_THREAD:
		return pick(a, a->threads);
	case DH_NAME_LOCK:
		return pick(a, a->shape->locks);
	case DH_NAME_METHOD:
		return pick(a, 2);
	default:
		return pick(a, a->shape->objects);
	}
}

/* ---- idioms ---- */

static void put(struct author *a, uint32_t thread, uint8_t op, uint32_t target)
{
	if (a->tail[thread] < SCRIPT)
		a->script[thread][a->tail[thread]++] =
		    (struct dh_event){.thread = thread, .op = op, .target = target};
}

static void put_accesses(struct author *a, uint32_t t, uint32_t most)
{
	for (uint32_t n = 1 + pick(a, most); n > 0; n--)
		put(a, t, pick(a, 2) ? DH_WRITE : DH_READ, pick(a, a->vars));
}

static void put_section(struct author *a, uint32_t t)
{
	uint32_t lock = pick(a, a->shape->locks);
	bool read = a->shape->parts & READ_LOCKS && pick(a, 2);
	put(a, t, read ? DH_READ_ACQUIRE : DH_ACQUIRE, lock);
	if (pick(a, 4) == 0 && a->shape->parts & MESSAGES) { /* waits in it */
		put(a, t, DH_RELEASE, lock);
		put(a, t, DH_RECEIVE, pick(a, a->shape->objects));
		put(a, t, DH_ACQUIRE, lock);
	}
	put_accesses(a, t, 2);
	if (pick(a, 3) == 0 && a->shape->parts & MESSAGES)
		put(a, t, DH_SEND, pick(a, a->shape->objects));
	put(a, t, read ? DH_READ_RELEASE : DH_RELEASE, lock);
}

static void put_call(struct author *a, uint32_t t)
{
	uint32_t method = pick(a, 2);
	put(a, t, DH_METHOD_BEGIN, method);
	if (pick(a, 3) == 0)
		put_accesses(a, t, 1);
	put(a, t, DH_METHOD_END, method);
}

static void put_barrier(struct author *a, uint32_t t)
{
	uint32_t barrier = pick(a, a->shape->objects);
	put(a, t, DH_BARRIER_ENTER, barrier);
	put(a, t, DH_BARRIER_LEAVE, barrier);
}

static void write_script(struct author *a, uint32_t t)
{
	uint8_t parts = a->shape->parts, op;
	a->head[t] = a->tail[t] = 0;
	switch (a->idioms ? pick(a, 5) : 4) {
	case 0:
	case 1:
		if (parts & LOCKS)
			put_section(a, t);
		break;
	case 2:
		if (parts & CALLS)
			put_call(a, t);
		break;
	case 3:
		if (parts & BARRIERS)
			put_barrier(a, t);
		break;
	case 4:
		op = some_op(a);
		put(a, t, op, some_target(a, op));
	}
}

/* ---- the whole ---- */

/* Any part of the variables: a piece of the list that goes around once. */
static void decorate(struct author *a, struct dh_event *ev)
{
	struct trace *t = a->trace;
	ev->index = t->count;
	ev->site = a->sites == 1 ? 1 + pick(a, 2) : a->sites ? t->count + 1 : 0;
	if (ev->op != DH_METHOD_BEGIN)
		return;
	ev->reach = &t->reach[pick(a, a->vars)];
	ev->reach_count =
	    pick(a, (uint32_t)(t->reach + DH_ARRAY_LEN(t->reach) - ev->reach));
	ev->reach_count = DH_MIN(ev->reach_count, a->vars);
}

void shapes_generate(struct trace *t, uint64_t seed)
{
	struct author a = {.rng = {seed * 1000003}, .trace = t};
	a.shape = &shapes[pick(&a, DH_ARRAY_LEN(shapes))];
	a.threads = rng_range(&a.rng, 2, SMALL_THREADS);
	a.vars = rng_range(&a.rng, 1, SMALL_VARS);
	a.sites = pick(&a, 4); /* 0: none, 1: two, else one for each event */
	a.idioms = pick(&a, 2);
	uint32_t most = pick(&a, 12) ? 22 - 2 * a.threads : SMALL_EVENTS - 2;
	uint32_t size = rng_range(&a.rng, 5, most);
	t->count = 0;
	for (uint32_t i = 0; i < DH_ARRAY_LEN(t->reach); i++)
		t->reach[i] = i % a.vars;
	for (uint32_t tries = 0; tries < 300 && t->count < size; tries++) {
		uint32_t thread = pick(&a, a.threads);
		if (a.head[thread] == a.tail[thread])
			write_script(&a, thread);
		if (a.head[thread] == a.tail[thread])
			continue;
		struct dh_event ev = a.script[thread][a.head[thread]];
		if (!world_accepts(&a.world, &ev)) {
			a.head[thread] += !a.idioms || pick(&a, 4) == 0;
			continue;
		}
		a.head[thread]++;
		decorate(&a, &ev);
		t->at[t->count++] = ev;
	}
}

void shapes_put_values(struct trace *t, uint64_t seed, uint32_t mode)
{
	struct rng r = {seed * 7919 + mode};
	int64_t memory[SMALL_VARS] = {0};
	uint32_t odd = rng_below(&r, t->count + 1);
	for (uint32_t i = 0; mode && i < t->count; i++) {
		struct dh_event *ev = &t->at[i];
		if (ev->op == DH_ALLOC)
			memory[ev->target] = 0;
		if (ev->op != DH_READ && ev->op != DH_WRITE)
			continue;
		if (ev->op == DH_WRITE)
			memory[ev->target] = rng_below(&r, 3);
		ev->value =
		    memory[ev->target] + (mode == 3 && i == odd && ev->op == DH_READ);
		ev->has_value = mode != 2 || rng_percent(&r, 70);
	}
}
