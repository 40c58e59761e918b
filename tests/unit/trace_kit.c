/* SPDX-License-Identifier: MIT */
/* The kit of trace_kit.h. */
#include "trace_kit.h"

#include "trace/binary.h"
#include "trace/text.h"

#include <stdio.h>
#include <string.h>

/* ---- reading and writing ---- */

static void keep(struct kit *k, struct dh_event ev)
{
	if (ev.reach_count) {
		size_t size = ev.reach_count * sizeof *ev.reach;
		uint32_t *copy = dh_mem_alloc(size);
		memcpy(copy, ev.reach, size);
		ev.reach = copy;
	}
	dh_vec_push(&k->events, ev);
}

static void read_all(struct kit *k)
{
	struct dh_event ev;
	while (k->result >= 0 && (k->result = dh_reader_next(k->reader, &ev)) > 0) {
		assert_int_equal(ev.index, k->events.len);
		keep(k, ev);
	}
	assert_int_equal(dh_reader_events(k->reader), k->events.len);
}

void kit_read(struct kit *k, const void *data, size_t len)
{
	memset(k, 0, sizeof *k);
	k->result = dh_reader_open_memory(&k->reader, "trace", data, len);
	read_all(k);
}

void kit_read_text(struct kit *k, const char *text)
{
	kit_read(k, text, strlen(text));
}

void kit_read_file(struct kit *k, const char *path)
{
	memset(k, 0, sizeof *k);
	k->result = dh_reader_open(&k->reader, path);
	read_all(k);
}

void kit_close(struct kit *k)
{
	for (size_t i = 0; i < k->events.len; i++) {
		struct dh_event *ev = &k->events.at[i];
		if (ev->reach_count)
			dh_mem_free((void *)(uintptr_t)ev->reach,
				    ev->reach_count * sizeof *ev->reach);
	}
	dh_vec_free(&k->events);
	dh_reader_close(k->reader);
}

static int sink(void *context, const void *data, size_t n)
{
	dh_bytes_put(context, data, n);
	return 0;
}

struct dh_bytes kit_as(const struct kit *k, enum dh_trace_format format)
{
	const struct dh_names *names = dh_reader_names(k->reader);
	struct dh_bytes to = {0};
	struct dh_binary_writer w;
	if (format == DH_TRACE_BINARY)
		assert_int_equal(dh_binary_writer_init(&w, false, sink, &to), 0);
	for (size_t i = 0; i < k->events.len; i++) {
		if (format == DH_TRACE_TEXT)
			dh_text_append(&to, names, &k->events.at[i]);
		else
			assert_int_equal(dh_binary_put(&w, names, &k->events.at[i]), 0);
	}
	if (format == DH_TRACE_BINARY) {
		assert_int_equal(dh_binary_finish(&w), 0);
		dh_binary_writer_free(&w);
	}
	return to;
}

void kit_expect_prefix(const struct kit *a, const struct kit *b)
{
	struct dh_bytes of_a = {0}, of_b = {0};
	assert_true(b->events.len <= a->events.len);
	for (size_t i = 0; i < b->events.len; i++) {
		assert_int_equal(a->events.at[i].nested, b->events.at[i].nested);
		dh_text_append(&of_a, dh_reader_names(a->reader), &a->events.at[i]);
		dh_text_append(&of_b, dh_reader_names(b->reader), &b->events.at[i]);
	}
	assert_int_equal(of_a.len, of_b.len);
	if (of_a.len)
		assert_memory_equal(of_a.at, of_b.at, of_a.len);
	dh_vec_free(&of_a);
	dh_vec_free(&of_b);
}

void kit_expect_error(const char *text, const char *message)
{
	struct kit k;
	kit_read_text(&k, text);
	if (!message && k.result < 0)
		fail_msg("refused: %s\n%s", dh_reader_error(k.reader), text);
	if (message && k.result >= 0)
		fail_msg("not refused with: %s\n%s", message, text);
	if (message)
		assert_string_equal(dh_reader_error(k.reader), message);
	assert_null(dh_reader_damage(k.reader));
	kit_close(&k);
}

/* ---- the model ---- */

static int depth(const struct model *m, uint32_t thread, uint32_t lock,
		 enum dh_op acquire)
{
	int n = 0;
	for (size_t i = 0; i < m->events.len; i++) {
		const struct dh_event *e = &m->events.at[i];
		if (e->thread == thread && e->target == lock)
			n += (e->op == acquire) - (e->op == acquire + 1);
	}
	return n;
}

enum { THREADS = 5 };

/* Does another thread hold the lock so that this acquire must wait? */
static bool held(const struct model *m, const struct dh_event *ev)
{
	for (uint32_t t = 0; t < THREADS; t++) {
		if (t == ev->thread)
			continue;
		if (depth(m, t, ev->target, DH_ACQUIRE) > 0)
			return true;
		if (ev->op == DH_ACQUIRE && depth(m, t, ev->target, DH_READ_ACQUIRE) > 0)
			return true;
	}
	return false;
}

/* The innermost open method of a thread, or -1. */
static int64_t open_method(const struct model *m, uint32_t thread)
{
	int ended = 0;
	for (size_t i = m->events.len; i-- > 0;) {
		const struct dh_event *e = &m->events.at[i];
		if (e->thread != thread)
			continue;
		if (e->op == DH_METHOD_END)
			ended++;
		if (e->op == DH_METHOD_BEGIN && ended-- == 0)
			return e->target;
	}
	return -1;
}

static bool fork_allowed(const struct model *m, const struct dh_event *ev)
{
	for (size_t i = 0; i < m->events.len; i++) {
		const struct dh_event *e = &m->events.at[i];
		bool names_it = e->op == DH_FORK || e->op == DH_JOIN;
		if (e->thread == ev->target || (names_it && e->target == ev->target))
			return false;
	}
	return ev->thread != ev->target;
}

static bool joined(const struct model *m, uint32_t thread)
{
	for (size_t i = 0; i < m->events.len; i++)
		if (m->events.at[i].op == DH_JOIN && m->events.at[i].target == thread)
			return true;
	return false;
}

bool model_allows(const struct model *m, struct dh_event *ev)
{
	int before;
	ev->nested = false;
	if (joined(m, ev->thread))
		return false;
	switch ((enum dh_op)ev->op) {
	case DH_ACQUIRE:
	case DH_READ_ACQUIRE:
		ev->nested = depth(m, ev->thread, ev->target, ev->op) > 0;
		return !held(m, ev);
	case DH_RELEASE:
	case DH_READ_RELEASE:
		before = depth(m, ev->thread, ev->target, ev->op - 1);
		ev->nested = before > 1;
		return before > 0;
	case DH_FORK:
		return fork_allowed(m, ev);
	case DH_JOIN:
		return ev->thread != ev->target;
	case DH_METHOD_END:
		return open_method(m, ev->thread) == (int64_t)ev->target;
	default:
		return true;
	}
}

void model_add(struct model *m, const struct dh_event *ev)
{
	dh_vec_push(&m->events, *ev);
}

void model_free(struct model *m)
{
	dh_vec_free(&m->events);
}

struct dh_event model_guess(struct dice *d)
{
	struct dh_event ev = {.thread = dice_roll(d, THREADS)};
	/* Locks and methods are what there is to get wrong; joins end everything. */
	ev.op = (uint8_t)(dice_chance(d, 50) ? DH_ACQUIRE + dice_roll(d, 4)
					     : dice_roll(d, DH_OP_COUNT));
	if (ev.op == DH_JOIN && dice_chance(d, 90))
		ev.op = DH_METHOD_BEGIN + (uint8_t)dice_roll(d, 2);
	ev.target = dice_roll(d, dh_op_kind(ev.op) == DH_NAME_THREAD ? THREADS : 3);
	ev.site = dice_roll(d, 6);
	if (dh_op_is_access(ev.op) && dice_chance(d, 50)) {
		ev.has_value = true;
		ev.value = dice_chance(d, 20) ? INT64_MIN : (int64_t)dice_roll(d, 9) - 4;
	}
	return ev;
}

/* ---- random traces ---- */

static void put(struct dh_bytes *to, const char *text)
{
	dh_bytes_put(to, text, strlen(text));
}

static void put_event(struct dh_bytes *to, struct dice *d, const struct dh_event *ev)
{
	static const char *const names[] = {"x", "a.b[3]", "\xc3\xa4#", "\xff\x01", "-"};
	static const char *const sites[] = {"", "f.c:12", "a b, (c)=", ":", "#", "\t"};
	char value[32];
	put(to, (const char *[]){"T1", "T2", "m", "0", "\xe2\x82\xac"}[ev->thread]);
	put(to, "|");
	put(to, dh_op_text(ev->op));
	put(to, "(");
	if (dh_op_kind(ev->op) == DH_NAME_THREAD)
		put(to,
		    (const char *[]){"T1", "T2", "m", "0", "\xe2\x82\xac"}[ev->target]);
	else
		put(to, names[ev->target]);
	for (uint32_t n = ev->op == DH_METHOD_BEGIN ? dice_roll(d, 5) : 0, i = 0; i < n;
	     i++) {
		put(to, i ? "," : ":");
		put(to, names[dice_roll(d, DH_ARRAY_LEN(names))]);
	}
	put(to, ")");
	snprintf(value, sizeof value, "=%lld", (long long)ev->value);
	put(to, ev->has_value ? value : "");
	put(to, "|");
	put(to, sites[ev->site]);
	put(to, "\n");
}

struct dh_bytes kit_random(struct dice *d, unsigned n)
{
	struct dh_bytes text = {0};
	struct model m = {0};
	while (m.events.len < n) {
		struct dh_event ev = model_guess(d);
		if (ev.op == DH_JOIN && m.events.len < n / 2)
			continue;
		if (!model_allows(&m, &ev))
			continue;
		model_add(&m, &ev);
		put_event(&text, d, &ev);
	}
	model_free(&m);
	return text;
}
