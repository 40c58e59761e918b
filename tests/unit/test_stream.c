/* SPDX-License-Identifier: MIT */
/*
 * The frame around the engines: threads, locks held, needs, counters, and the order in
 * which the hooks of filter and engines are called. An engine and a filter that write a
 * diary show it. (Cells and reports: test_engine.c.)
 */
#include "scene.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* ---- the diary ---- */

static char diary[1024];

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...)
{
	size_t at = strlen(diary);
	va_list args;
	va_start(args, format);
	vsnprintf(diary + at, sizeof diary - at, format, args);
	va_end(args);
	assert_true(strlen(diary) + 1 < sizeof diary);
}

/* Compares what was noted since the last call. */
static void assert_diary(const char *want)
{
	assert_string_equal(diary, want);
	diary[0] = '\0';
}

static int open_diary(void **state)
{
	(void)state;
	diary[0] = '\0';
	return 0;
}

/* ---- an engine that writes it ---- */

struct cell {
	uint32_t accesses;
};

struct writer {
	struct dh_engine engine;
	uint64_t reads, writes;
};

static unsigned held(const struct dh_thread *t)
{
	return t->held != DH_LOCKSET_EMPTY;
}

static void on_init(struct dh_engine *e)
{
	(void)e;
	note("init ");
}

static void on_fini(struct dh_engine *e)
{
	(void)e;
	note("fini ");
}

static void on_start(struct dh_engine *e, struct dh_thread *t, struct dh_thread *parent)
{
	(void)e;
	note("start%u", t->party.id);
	note(parent ? "<%u " : " ", parent ? parent->party.id : 0);
}

static void on_sync(struct dh_engine *e, struct dh_thread *t, const struct dh_event *ev)
{
	(void)e;
	note("%s:held%u,clock%u ", dh_op_text(ev->op), held(t), t->party.clock);
}

static void on_access(struct dh_engine *e, struct dh_thread *t, void *cell,
		      const struct dh_access *a)
{
	struct writer *w = (struct writer *)e;
	(a->write ? &w->writes : &w->reads)[0]++;
	((struct cell *)cell)->accesses++;
	note("%c%u@%u ", a->write ? 'w' : 'r', t->party.id, (unsigned)a->index);
}

static void on_reset(struct dh_engine *e, void *cell)
{
	(void)e;
	struct cell *c = cell;
	if (c->accesses)
		note("reset%u ", c->accesses);
	c->accesses = 0;
}

static const struct dh_counter writer_counters[] = {
    {"reads", offsetof(struct writer, reads)},
    {"writes", offsetof(struct writer, writes)},
    {NULL, 0},
};

static const struct dh_engine_ops writer = {
    .name = "writer",
    .needs = DH_NEEDS_STRONG | DH_NEEDS_LOCKSETS,
    .size = sizeof(struct writer),
    .cell_size = sizeof(struct cell),
    .counters = writer_counters,
    .init = on_init,
    .fini = on_fini,
    .start = on_start,
    .sync = on_sync,
    .read = on_access,
    .write = on_access,
    .reset = on_reset,
};

/* ---- a filter that writes it ---- */

/* Drops reads; keeps the last write back until something else happens. */
struct keeper {
	struct dh_filter filter;
	uint64_t flushed;
	struct dh_access kept;
	struct dh_thread *whose; /* NULL: nothing is kept */
};

static void flush(struct keeper *k)
{
	if (!k->whose)
		return;
	k->flushed++;
	dh_stream_forward(k->filter.stream, k->whose, &k->kept);
	k->whose = NULL;
}

static bool keeper_access(struct dh_filter *f, struct dh_thread *t,
			  const struct dh_access *a)
{
	struct keeper *k = (struct keeper *)f;
	note("?%u ", (unsigned)a->index);
	flush(k);
	if (!a->write)
		return false;
	k->kept = *a;
	k->whose = t;
	return false;
}

static void keeper_before(struct dh_filter *f, struct dh_thread *t,
			  const struct dh_event *ev)
{
	flush((struct keeper *)f);
	note("before-%s:held%u,clock%u ", dh_op_text(ev->op), held(t), t->party.clock);
}

static void keeper_fini(struct dh_filter *f)
{
	flush((struct keeper *)f);
	note("filter-fini ");
}

static const struct dh_counter keeper_counters[] = {
    {"flushed", offsetof(struct keeper, flushed)},
    {NULL, 0},
};

static const struct dh_filter_ops keeper = {
    .name = "keeper",
    .size = sizeof(struct keeper),
    .counters = keeper_counters,
    .fini = keeper_fini,
    .access = keeper_access,
    .before = keeper_before,
};

/* ---- hooks ---- */

static void threads_begin(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &writer, NULL);
	assert_null(dh_stream_thread(s.stream, 0));
	assert_diary("init ");
	scene_play(&s, "T0|r(x)|\n");
	assert_diary("start0 r0@0 ");
	scene_play(&s, "T0|fork(T1)|\n"); /* the child's start comes first */
	assert_diary("start1<0 fork:held0,clock2 ");
	scene_play(&s, "T1|r(x)|\n");
	assert_diary("r1@2 ");
	scene_play(&s, "T0|join(T2)|\n"); /* known by its end alone */
	assert_diary("start2 join:held0,clock2 ");
	assert_int_equal(dh_stream_thread(s.stream, 2)->party.id, 2);
	assert_null(dh_stream_thread(s.stream, 3));
	assert_null(dh_stream_thread(s.stream, UINT32_MAX));
	scene_close(&s);
}

/* Order and locks held are up to date when sync() comes; alloc resets first; at the
 * end all cells are reset, then the engine finishes. */
static void engine_hooks(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &writer, NULL);
	scene_play(&s, "T0|acq(l)|\nT0|w(x)|\nT0|r(y)|\nT0|rel(l)|\nT0|alloc(x)|\n");
	assert_diary("init start0 acq:held1,clock1 w0@1 r0@2 rel:held0,clock2 "
		     "reset1 alloc:held0,clock2 ");
	scene_play(&s, "T0|mb(f)|\nT0|me(f)|\nT0|w(x)|\n");
	assert_diary("mb:held0,clock2 me:held0,clock2 w0@7 ");
	scene_close(&s);
	assert_diary("reset1 reset1 fini ");
}

/* The filter sees an access before the engines do, and any other event before order
 * and locks change; what it kept back arrives with its own clock and locks. */
static void filter_hooks(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &writer, &keeper);
	scene_play(&s, "T0|acq(l)|\n");
	assert_diary("init start0 before-acq:held0,clock1 acq:held1,clock1 ");
	scene_play(&s, "T0|w(x)|\nT0|w(y)|\nT0|r(y)|\n");
	assert_diary("?1 ?2 w0@1 ?3 w0@2 ");
	scene_play(&s, "T0|w(x)|\nT0|rel(l)|\n");
	assert_diary("?4 w0@4 before-rel:held1,clock1 rel:held0,clock2 ");
	scene_play(&s, "T0|w(x)|\nT0|alloc(x)|\n");
	assert_diary("?6 w0@6 before-alloc:held0,clock2 reset3 alloc:held0,clock2 ");
	scene_play(&s, "T0|w(x)|\n");
	assert_diary("?8 ");
	assert_int_equal(scene_counter(&s, "flushed"), 4);
	scene_close(&s); /* what is still kept comes before the engines end */
	assert_diary("w0@8 filter-fini reset1 reset1 fini ");
}

/* Every engine sees every event, in the order in which they were added. */
static void engines_in_turn(void **state)
{
	(void)state;
	struct dh_stream *stream = dh_stream_new(&(struct dh_stream_config){0});
	struct dh_engine *a = dh_stream_add(stream, &writer);
	struct dh_engine *b = dh_stream_add(stream, &writer);
	dh_stream_feed(stream, &(struct dh_event){.op = DH_WRITE});
	assert_diary("init init start0 start0 w0@0 w0@0 ");
	assert_ptr_not_equal(dh_cells_get(&a->cells, 0), dh_cells_get(&b->cells, 0));
	dh_stream_free(stream);
	assert_diary("reset1 fini reset1 fini ");
}

/* ---- locks held ---- */

static void assert_held(const struct scene *s, const char *lock, bool any, bool write,
			bool read)
{
	const struct dh_thread *t = scene_thread(s, "T0");
	uint32_t l = scene_number(s, DH_NAME_LOCK, lock);
	assert_int_equal(dh_lockset_has(s->stream->locksets, t->held, l), any);
	assert_int_equal(dh_lockset_has(s->stream->locksets, t->held_write, l), write);
	assert_int_equal(dh_lockset_has(s->stream->locksets, t->held_read, l), read);
}

static void locks_held(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &writer, NULL);
	scene_play(&s, "T0|acq(l)|\nT0|rdacq(k)|\nT1|acq(m)|\n");
	assert_held(&s, "l", true, true, false);
	assert_held(&s, "k", true, false, true);
	assert_held(&s, "m", false, false, false); /* another thread's */
	scene_play(&s, "T0|rel(l)|\n");
	assert_held(&s, "l", false, false, false);
	assert_held(&s, "k", true, false, true);
	scene_play(&s, "T0|rdrel(k)|\n");
	assert_int_equal(scene_thread(&s, "T0")->held, DH_LOCKSET_EMPTY);
	assert_int_not_equal(scene_thread(&s, "T1")->held, DH_LOCKSET_EMPTY);
	scene_close(&s);
}

/* A lock held in both modes is held until both are gone, in either order. */
static void lock_in_both_modes(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &writer, NULL);
	scene_play(&s, "T0|rdacq(l)|\nT0|acq(l)|\n");
	assert_held(&s, "l", true, true, true);
	scene_play(&s, "T0|rel(l)|\n");
	assert_held(&s, "l", true, false, true);
	scene_play(&s, "T0|acq(l)|\nT0|rdrel(l)|\n");
	assert_held(&s, "l", true, true, false);
	scene_play(&s, "T0|rel(l)|\n");
	assert_held(&s, "l", false, false, false);
	scene_close(&s);
}

/* What the locks of the last access were. */
static dh_lockset last_locks;

static void keep_locks(struct dh_engine *e, struct dh_thread *t, void *cell,
		       const struct dh_access *a)
{
	(void)e, (void)t, (void)cell;
	last_locks = a->locks;
}

/* A read has every lock held, a write those in write mode; an engine that did not
 * ask for locksets gets none. */
static void locks_of_an_access(void **state)
{
	(void)state;
	struct dh_engine_ops ops = writer;
	struct scene s;
	ops.read = ops.write = keep_locks;
	scene_open(&s, &ops, NULL);
	scene_play(&s, "T0|acq(l)|\nT0|rdacq(k)|\nT0|r(x)|\n");
	assert_int_equal(last_locks, scene_thread(&s, "T0")->held);
	scene_play(&s, "T0|w(x)|\n");
	assert_int_equal(last_locks, scene_thread(&s, "T0")->held_write);
	assert_true(dh_lockset_has(s.stream->locksets, last_locks, 0));
	assert_false(dh_lockset_has(s.stream->locksets, last_locks, 1));
	scene_close(&s);
	ops.needs = 0;
	scene_open(&s, &ops, NULL);
	scene_play(&s, "T0|acq(l)|\nT0|r(x)|\n");
	assert_int_equal(last_locks, DH_LOCKSET_EMPTY);
	assert_false(s.stream->order.config.relation[DH_STRONG]);
	scene_close(&s);
}

/* ---- needs ---- */

/* The stream keeps what any engine or the filter asks for, and the least clock limit;
 * one that the user set goes before. */
static void needs_are_joined(void **state)
{
	(void)state;
	struct dh_engine_ops strong = writer, weak = writer, weaker = writer;
	struct dh_filter_ops locks = keeper;
	strong.needs = DH_NEEDS_STRONG;
	weak.needs = weaker.needs = DH_NEEDS_WEAK;
	weak.clock_limit = 100;
	weaker.clock_limit = 50;
	locks.needs = DH_NEEDS_LOCKSETS;
	for (uint32_t user = 0; user <= 70; user += 70) {
		struct dh_stream *stream =
		    dh_stream_new(&(struct dh_stream_config){.clock_limit = user});
		dh_stream_add(stream, &strong);
		assert_true(stream->order.config.relation[DH_STRONG]);
		assert_false(stream->order.config.relation[DH_WEAK]);
		dh_stream_add(stream, &weaker);
		dh_stream_add(stream, &weak);
		dh_stream_set_filter(stream, &locks);
		assert_true(stream->order.config.relation[DH_STRONG]);
		assert_true(stream->order.config.relation[DH_WEAK]);
		assert_true(stream->needs & DH_NEEDS_LOCKSETS);
		assert_int_equal(stream->order.config.clock_limit, user ? user : 50);
		dh_stream_free(stream);
	}
}

/* The first leave of a barrier's episode closes it. */
static void episode_closes_once(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &writer, NULL);
	for (int episode = 0; episode < 2; episode++) {
		scene_play(&s, "T0|benter(b)|\nT1|benter(b)|\nT1|bleave(b)|\n");
		assert_true(s.stream->episode_closed);
		scene_play(&s, "T0|bleave(b)|\n");
		assert_false(s.stream->episode_closed);
	}
	scene_close(&s);
}

/* ---- objects ---- */

static uint32_t last_object;

static void keep_object(struct dh_engine *e, struct dh_thread *t, void *cell,
			const struct dh_access *a)
{
	(void)e, (void)t, (void)cell;
	last_object = a->object;
}

/* A variable belongs to the object that was set, else it is its own. */
static void objects(void **state)
{
	(void)state;
	struct dh_engine_ops ops = writer;
	ops.read = ops.write = keep_object;
	struct dh_stream *stream = dh_stream_new(&(struct dh_stream_config){0});
	dh_stream_add(stream, &ops);
	dh_stream_set_object(stream, 7, 0);
	dh_stream_feed(stream, &(struct dh_event){.op = DH_READ, .target = 7});
	assert_int_equal(last_object, 0);
	dh_stream_feed(stream, &(struct dh_event){.op = DH_READ, .target = 5});
	assert_int_equal(last_object, 5);
	dh_stream_feed(stream, &(struct dh_event){.op = DH_WRITE, .target = 900});
	assert_int_equal(last_object, 900);
	dh_stream_free(stream);
}

/* ---- counters ---- */

static void counters(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &writer, NULL);
	scene_play(&s, "T0|r(x)|\nT0|w(x)|\nT0|w(y)|\n");
	assert_int_equal(dh_counter_value(s.engine, writer_counters, "reads"), 1);
	assert_int_equal(dh_counter_value(s.engine, writer_counters, "writes"), 2);
	assert_int_equal(dh_counter_value(s.engine, writer_counters, "write"), 0);
	assert_int_equal(dh_counter_value(s.engine, writer_counters, "writesx"), 0);
	assert_int_equal(dh_counter_value(s.engine, NULL, "reads"), 0);
	assert_int_equal(s.stream->events, 3);
	scene_close(&s);
}

#define TEST(f) cmocka_unit_test_setup(f, open_diary)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(threads_begin),
	    TEST(engine_hooks),
	    TEST(filter_hooks),
	    TEST(engines_in_turn),
	    TEST(locks_held),
	    TEST(lock_in_both_modes),
	    TEST(locks_of_an_access),
	    TEST(needs_are_joined),
	    TEST(episode_closes_once),
	    TEST(objects),
	    TEST(counters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
