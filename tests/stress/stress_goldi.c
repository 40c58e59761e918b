/* SPDX-License-Identifier: MIT */
/*
 * Threads use one Goldilocks engine at once, as the host of a running program does
 * (runtime/host/gate.h), with a read-write lock for its gate. They are of two groups,
 * which have no lock, message or variable in common but the racy ones. Whatever order
 * they come in, these races are there and no others:
 *   - a variable that is written once by a thread of either group: one race each;
 *   - variables under a lock of the group, variables handed on from one thread to the
 *     other by a volatile, and variables of a thread's own: none.
 * Cells are reclaimed all the time.
 */
#include "crew.h"
#include "engines/goldi.h"
#include "event/stream.h"

#ifdef UNDER_TSAN
enum { ROUNDS = 1, STEPS = 1000 };
#else
enum { ROUNDS = 3, STEPS = 3000 };
#endif

enum {
	GROUPS = 2,
	LOCKS = 5,	   /* of a group */
	RACES = STEPS / 8, /* of a pair of threads */
	SLOTS = 8,	   /* variables under one lock, or of a thread */
	LIMIT = 512,	   /* cells */
};

/* Numbers of variables: racy, under locks, of a thread, handed on. */
enum {
	RACY = 0,
	LOCKED = RACY + RACES * CREW / GROUPS,
	OWN = LOCKED + GROUPS * LOCKS * SLOTS,
	HANDED = OWN + CREW * SLOTS,
	VARS = HANDED + CREW * STEPS,
	STRIPES = 16,
};

extern const struct dh_engine_ops dh_engine_goldilocks;

struct shared {
	struct dh_stream *stream;
	pthread_rwlock_t gate;
	pthread_mutex_t stripe[STRIPES];
	pthread_mutex_t lock[GROUPS * LOCKS];
	uint32_t handed[CREW]; /* variables so far; atomic */
	uint32_t races[VARS];
	uint32_t alone; /* events that could not be told otherwise; atomic */
};

static void settle_if_due(struct shared *s)
{
	struct dh_engine *e = s->stream->engines.at[0];
	pthread_rwlock_rdlock(&s->gate);
	bool due = e->ops->shared->due(e);
	pthread_rwlock_unlock(&s->gate);
	if (!due)
		return;
	pthread_rwlock_wrlock(&s->gate);
	e->ops->shared->settle(e);
	pthread_rwlock_unlock(&s->gate);
}

static void tell(struct hand *h, enum dh_op op, uint32_t target)
{
	struct shared *s = h->shared;
	struct dh_event ev = {.thread = h->index, .target = target, .op = (uint8_t)op};
	bool done;
	pthread_rwlock_rdlock(&s->gate);
	if (dh_op_is_access(op)) {
		pthread_mutex_lock(&s->stripe[target % STRIPES]);
		done = dh_stream_access_shared(s->stream, &ev);
		pthread_mutex_unlock(&s->stripe[target % STRIPES]);
	} else {
		done = dh_stream_sync_shared(s->stream, &ev);
	}
	pthread_rwlock_unlock(&s->gate);
	if (!done) {
		pthread_rwlock_wrlock(&s->gate);
		dh_stream_feed(s->stream, &ev);
		s->alone++;
		pthread_rwlock_unlock(&s->gate);
	}
	if (!dh_op_is_access(op))
		settle_if_due(s);
}

/* A release is told before the lock is given back, an acquire when it is had. */
static void use_lock(struct hand *h, uint32_t group)
{
	struct shared *s = h->shared;
	uint32_t lock = group * LOCKS + roll(h, LOCKS);
	pthread_mutex_lock(&s->lock[lock]);
	tell(h, DH_ACQUIRE, lock);
	tell(h, roll(h, 2) ? DH_WRITE : DH_READ, LOCKED + lock * SLOTS + roll(h, SLOTS));
	tell(h, DH_RELEASE, lock);
	pthread_mutex_unlock(&s->lock[lock]);
}

static void hand_on(struct hand *h)
{
	struct shared *s = h->shared;
	uint32_t next = s->handed[h->index];
	tell(h, DH_WRITE, HANDED + h->index * STEPS + next);
	tell(h, DH_VOLATILE_WRITE, h->index);
	__atomic_store_n(&s->handed[h->index], next + 1, __ATOMIC_RELEASE);
}

static void take_over(struct hand *h, uint32_t other)
{
	struct shared *s = h->shared;
	uint32_t count = __atomic_load_n(&s->handed[other], __ATOMIC_ACQUIRE);
	if (!count)
		return;
	tell(h, DH_VOLATILE_READ, other);
	tell(h, DH_READ, HANDED + other * STEPS + roll(h, count));
}

static void work(struct hand *h)
{
	uint32_t group = h->index % GROUPS, pair = h->index / GROUPS;
	uint32_t other = h->index ^ GROUPS; /* the other one of the group */
	for (uint32_t i = 0; i < STEPS; i++) {
		if (i < RACES)
			tell(h, DH_WRITE, RACY + pair * RACES + i);
		tell(h, DH_WRITE, OWN + h->index * SLOTS + roll(h, SLOTS));
		switch (roll(h, 4)) {
		case 0:
			hand_on(h);
			break;
		case 1:
			take_over(h, other);
			break;
		default:
			use_lock(h, group);
			break;
		}
	}
}

static void on_race(void *context, struct dh_engine *e, const struct dh_race *race)
{
	(void)e;
	struct shared *s = context;
	s->races[race->var]++;
}

static void open_round(struct shared *s)
{
	struct dh_stream_config config = {.on_race = on_race, .context = s};
	*s = (struct shared){.stream = dh_stream_new(&config)};
	dh_goldi_set_limit(dh_stream_add(s->stream, &dh_engine_goldilocks), LIMIT);
	REQUIRE(dh_stream_share(s->stream));
	pthread_rwlock_init(&s->gate, NULL);
	for (int i = 0; i < STRIPES; i++)
		pthread_mutex_init(&s->stripe[i], NULL);
	for (int i = 0; i < GROUPS * LOCKS; i++)
		pthread_mutex_init(&s->lock[i], NULL);
	for (uint32_t i = 0; i < CREW; i++) {
		struct dh_event ev = {.thread = CREW, .target = i, .op = DH_FORK};
		dh_stream_feed(s->stream, &ev);
	}
}

int main(void)
{
	static struct shared s;
	for (uint64_t round = 0; round < ROUNDS; round++) {
		open_round(&s);
		crew_run(work, &s, round + 1);
		for (uint32_t v = 0; v < VARS; v++)
			REQUIRE(s.races[v] == (v < LOCKED));
		struct dh_engine *e = s.stream->engines.at[0];
		const struct dh_counter *list = e->ops->counters;
		e->ops->shared->tally(e);
		uint64_t told = dh_counter_value(e, list, "accesses");
		REQUIRE(told > (uint64_t)CREW * STEPS && s.alone < told / 4);
		REQUIRE(dh_counter_value(e, list, "collections") > 10);
		REQUIRE(dh_counter_value(e, list, "full_walks") > 10);
		dh_stream_free(s.stream);
	}
	return 0;
}
