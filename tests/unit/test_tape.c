/* SPDX-License-Identifier: MIT */
/* Recordings: what threads record comes out of a tape as it went in, however it was cut
 * into runs; and of bytes that nobody has recorded nothing bad comes. */
#include "dice.h"
#include "record/drain.h"
#include "record/expand.h"
#include "record/replay.h"
#include "record/tape.h"
#include "runtime/observer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 3, STEPS = 20000 };

static struct dice dice;

static uint64_t any(uint32_t below)
{
	return dice_roll(&dice, below);
}

/* ---- threads that record ---- */

struct step {
	uint32_t thread;
	struct dh_raw raw[4];
};

struct all dh_vec(struct step);

/* Loops over arrays, now and then something else. */
static struct step make_step(uint32_t thread, unsigned i)
{
	struct step s = {.thread = thread};
	uint64_t place = 0x1000 + thread * 64 + i % 3;
	enum dh_raw_kind kind = i % 3 ? DH_RAW_READ : DH_RAW_WRITE;
	s.raw[0] = (struct dh_raw){dh_raw_head(kind, 8, place), 0x10000 + i / 3 * 8};
	if (any(40) == 0)
		s.raw[0].object = 0x20000 + any(1 << 20) * 8;
	if (any(200) == 0) {
		s.raw[0].head = dh_raw_head(DH_RAW_ALLOC, 0, 0);
		s.raw[1] = (struct dh_raw){0, any(1000)};
	} else if (any(200) == 0) {
		s.raw[0] = (struct dh_raw){dh_raw_head(DH_RAW_NAME, 0, 0), 0};
		s.raw[1] = (struct dh_raw){2, 20};
		memcpy(&s.raw[2], "a name of 20 letters", 20);
	}
	return s;
}

static struct all make_all(void)
{
	struct all all = {0};
	unsigned at[THREADS] = {0};
	for (unsigned i = 0; i < STEPS; i++) {
		uint32_t thread = (uint32_t)any(THREADS);
		for (uint64_t n = 1 + any(9); n; n--)
			dh_vec_push(&all, make_step(thread, at[thread]++));
	}
	return all;
}

static void check_step(const struct step *wanted, uint32_t thread, const struct dh_raw *r,
		       size_t n)
{
	assert_int_equal(thread, wanted->thread);
	assert_int_equal(n, dh_raw_length(wanted->raw));
	assert_memory_equal(r, wanted->raw, n * sizeof *r);
}

/* ---- files ---- */

struct file {
	char path[32];
	struct dh_writer *writer;
};

static void open_file(struct file *f)
{
	strcpy(f->path, "/tmp/deadheat-tape-XXXXXX");
	int fd = mkstemp(f->path);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(dh_writer_open(&f->writer, f->path, DH_TRACE_RECORDING), 0);
}

/* What is in it must be what was recorded. */
static void check_file(const struct file *f, const struct all *all)
{
	FILE *file = fopen(f->path, "r");
	struct dh_input in;
	struct dh_binary_reader blocks;
	struct dh_tape_reader tape;
	struct dh_expand expand = {0};
	struct dh_names *names = dh_names_new();
	const struct dh_raw *r;
	uint32_t thread;
	size_t i = 0;
	bool damaged;
	assert_non_null(file);
	dh_input_open_fd(&in, fileno(file));
	assert_true(dh_binary_reader_init(&blocks, &in, names, &damaged));
	assert_true(blocks.recording);
	dh_tape_reader_init(&tape, &blocks);
	while ((r = dh_tape_next(&tape, &thread))) {
		if (dh_raw_kind(r) != DH_RAW_RUN) {
			dh_expand_learn(&expand, thread, r);
			check_step(&all->at[i++], thread, r, dh_raw_length(r));
			continue;
		}
		for (uint64_t n = r->object; n; n--) {
			struct dh_raw one = dh_expand_take(&expand, thread);
			check_step(&all->at[i++], thread, &one, 1);
		}
	}
	assert_false(tape.damaged);
	assert_int_equal(i, all->len);
	dh_tape_reader_free(&tape);
	dh_expand_free(&expand);
	dh_binary_reader_free(&blocks);
	dh_input_close(&in);
	dh_names_free(names);
	fclose(file);
}

static void close_file(struct file *f)
{
	dh_writer_close(f->writer);
	unlink(f->path);
}

static void put_on_tape(struct dh_tape *t, struct dh_foresight *f, const struct step *s)
{
	const struct dh_raw run = {dh_raw_head(DH_RAW_RUN, 0, 0), 1};
	bool longer = dh_raw_has_payload(dh_raw_kind(s->raw));
	if (!longer && dh_foresight_met(f, s->raw[0].head, s->raw[0].object)) {
		dh_tape_put(t, s->thread, &run, 1);
		return;
	}
	if (!longer)
		dh_foresight_learn(f, s->raw[0].head, s->raw[0].object);
	dh_tape_put(t, s->thread, s->raw, dh_raw_length(s->raw));
}

static void test_tape(void **state)
{
	struct file f;
	struct dh_tape tape;
	struct dh_foresight *foresight = dh_mem_alloc(THREADS * sizeof *foresight);
	(void)state;
	dice.state = 1;
	struct all all = make_all();
	open_file(&f);
	dh_tape_init(&tape, f.writer);
	for (size_t i = 0; i < all.len; i++)
		put_on_tape(&tape, &foresight[all.at[i].thread], &all.at[i]);
	assert_int_equal(dh_tape_finish(&tape), 0);
	assert_int_equal(tape.records, all.len);
	assert_int_equal(dh_tape_threads(&tape), THREADS);
	assert_true(dh_tape_size(&tape) < all.len * 4);
	check_file(&f, &all);
	dh_tape_free(&tape);
	close_file(&f);
	dh_mem_free(foresight, THREADS * sizeof *foresight);
	dh_vec_free(&all);
}

/* ---- the drain ---- */

struct seen {
	struct dh_expand expand;
	const struct all *wanted;
	size_t next[THREADS]; /* where each thread goes on in it */
	size_t count;
};

static void see_one(struct seen *s, uint32_t thread, const struct dh_raw *r, size_t n)
{
	size_t *i = &s->next[thread];
	while (*i < s->wanted->len && s->wanted->at[*i].thread != thread)
		++*i;
	assert_true(*i < s->wanted->len);
	check_step(&s->wanted->at[(*i)++], thread, r, n);
	s->count++;
}

static void see(void *context, uint32_t thread, const struct dh_raw *at, size_t n)
{
	struct seen *s = context;
	for (size_t i = 0; i < n; i += dh_raw_length(&at[i])) {
		if (dh_raw_kind(&at[i]) != DH_RAW_RUN) {
			dh_expand_learn(&s->expand, thread, &at[i]);
			see_one(s, thread, &at[i], dh_raw_length(&at[i]));
			continue;
		}
		for (uint64_t k = at[i].object; k; k--) {
			struct dh_raw one = dh_expand_take(&s->expand, thread);
			see_one(s, thread, &one, 1);
		}
	}
}

/* What runtime/record/stream.h does, on a ring that is never full. */
struct writer {
	struct dh_foresight foresight;
	struct dh_chunk *chunk;
	uint32_t at, run;
};

static void new_chunk(struct dh_ring *ring, struct writer *w, uint32_t thread)
{
	uint32_t number = (uint32_t)ring->free;
	struct dh_chunk *old = w->chunk;
	if (number)
		ring->free = ring->chunks[number - 1].next;
	else
		number = ++ring->fresh;
	w->chunk = &ring->chunks[number - 1];
	w->chunk->written = 0;
	w->chunk->next = w->chunk->closed = 0;
	w->chunk->thread = thread;
	w->at = 0;
	if (old) {
		old->next = number;
	} else {
		w->chunk->newer = ring->streams;
		ring->streams = number;
	}
}

static void add(struct writer *w, uint64_t head, uint64_t object)
{
	w->chunk->at[w->at++] = (struct dh_raw){head, object};
}

static void write_step(struct dh_ring *ring, struct writer *w, const struct step *s)
{
	bool longer = dh_raw_has_payload(dh_raw_kind(s->raw));
	bool full = !w->chunk || w->at + 6 > DH_RING_RECORDS;
	if (full)
		new_chunk(ring, w, s->thread);
	if (full || longer || any(20) == 0) {
		add(w, dh_raw_head(DH_RAW_TICKET, 0, w->run), ring->ticket++);
		w->run = 0;
	}
	if (!longer &&
	    dh_foresight_met(&w->foresight, s->raw[0].head, s->raw[0].object)) {
		w->run++;
	} else {
		if (w->run)
			add(w, dh_raw_head(DH_RAW_RUN, 0, 0), w->run);
		w->run = 0;
		if (!longer)
			dh_foresight_learn(&w->foresight, s->raw[0].head,
					   s->raw[0].object);
		for (size_t i = 0; i < dh_raw_length(s->raw); i++)
			add(w, s->raw[i].head, s->raw[i].object);
	}
	w->chunk->written = dh_chunk_written(w->at, w->run);
}

static void test_drain(void **state)
{
	struct seen s = {0};
	struct writer *writers = dh_mem_alloc(THREADS * sizeof *writers);
	(void)state;
	dice.state = 2;
	struct all all = make_all();
	struct dh_drain *d = dh_drain_new(0, see, &s);
	assert_non_null(d);
	struct dh_ring *ring = (struct dh_ring *)(uintptr_t)dh_drain_ring(d);
	s.wanted = &all;
	for (size_t i = 0; i < all.len; i++) {
		write_step(ring, &writers[all.at[i].thread], &all.at[i]);
		if (any(30) == 0)
			dh_drain_some(d);
	}
	dh_drain_rest(d);
	assert_int_equal(s.count, all.len);
	dh_drain_free(d);
	dh_expand_free(&s.expand);
	dh_mem_free(writers, THREADS * sizeof *writers);
	dh_vec_free(&all);
}

/* ---- what nobody has recorded ---- */

/* A block whose sum is right, of entries that look like some. */
static void put_noise(struct dh_bytes *to)
{
	for (unsigned n = 200; n; n--) {
		uint64_t what = any(12);
		dh_bytes_varint(to, what);
		if (what == DH_TAPE_NEW)
			dh_bytes_varint(to, dh_raw_head((enum dh_raw_kind)any(24),
							(unsigned)any(256), any(100)));
		dh_bytes_varint(to, any(1000) >> any(10));
		if (any(2))
			dh_bytes_varint(to, any(4));
	}
}

static void test_noise(void **state)
{
	(void)state;
	dice.state = 3;
	dh_reader_understand(&dh_replay);
	for (unsigned round = 0; round < 300; round++) {
		struct file f;
		struct dh_bytes noise = {0};
		struct dh_reader *r;
		struct dh_event ev;
		int got;
		open_file(&f);
		put_noise(&noise);
		assert_int_equal(dh_writer_put_records(f.writer, &noise, 200), 0);
		assert_int_equal(dh_writer_finish(f.writer), 0);
		got = dh_reader_open(&r, f.path);
		while (!got && (got = dh_reader_next(r, &ev)) > 0)
			got = 0;
		/* An end, damage, or events that make no sense: never more than that. */
		assert_true(got == 0 ? !dh_reader_error(r) : dh_reader_error(r) != NULL);
		dh_reader_close(r);
		close_file(&f);
		dh_vec_free(&noise);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_tape),
	    cmocka_unit_test(test_drain),
	    cmocka_unit_test(test_noise),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
