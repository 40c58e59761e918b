/* SPDX-License-Identifier: MIT */
/* The drain of drain.h. Whatever comes in, the events that come out are well formed,
 * so both formats must take them and give them back. */
#include "drain.h"

#include "trace/binary.h"
#include "trace/reader.h"
#include "trace/text.h"

#include <string.h>

/* The events of an input in both formats. */
struct copies {
	struct dh_bytes text, binary;
	uint64_t events;
	bool clean; /* neither error nor damage */
};

static int sink(void *context, const void *data, size_t n)
{
	dh_bytes_put(context, data, n);
	return 0;
}

static void copies_free(struct copies *c)
{
	dh_vec_free(&c->text);
	dh_vec_free(&c->binary);
}

static void check_event(const struct dh_reader *r, const struct dh_event *ev)
{
	DH_CHECK(ev->op < DH_OP_COUNT);
	DH_CHECK(ev->index + 1 == dh_reader_events(r));
	DH_CHECK(!ev->has_value || dh_op_is_access(ev->op));
	DH_CHECK(ev->reach_count == 0 || ev->op == DH_METHOD_BEGIN);
}

static void check_end(struct dh_reader *r, int got, struct copies *c)
{
	struct dh_event ev;
	uint64_t done, total;
	c->events = dh_reader_events(r);
	c->clean = got == 0 && !dh_reader_damage(r);
	DH_CHECK((got < 0) == (dh_reader_error(r) != NULL));
	DH_CHECK(got == 0 || !dh_reader_damage(r));
	const char *message = got < 0 ? dh_reader_error(r) : dh_reader_damage(r);
	DH_CHECK(!message || !strpbrk(message, "\r\n\033"));
	DH_CHECK(got == dh_reader_next(r, &ev)); /* it stays at its end */
	dh_reader_progress(r, &done, &total);
	DH_CHECK(done <= total);
}

static void copies_make(struct copies *c, const void *data, size_t len)
{
	struct dh_binary_writer w;
	struct dh_reader *r;
	struct dh_event ev;
	memset(c, 0, sizeof *c);
	DH_CHECK(dh_binary_writer_init(&w, false, sink, &c->binary) == 0);
	int got = dh_reader_open_memory(&r, "input", data, len);
	while (got >= 0 && (got = dh_reader_next(r, &ev)) > 0) {
		check_event(r, &ev);
		dh_text_append(&c->text, dh_reader_names(r), &ev);
		DH_CHECK(dh_binary_put(&w, dh_reader_names(r), &ev) == 0);
	}
	check_end(r, got, c);
	DH_CHECK(dh_binary_finish(&w) == 0);
	dh_binary_writer_free(&w);
	dh_reader_close(r);
}

static bool bytes_same(const struct dh_bytes *a, const struct dh_bytes *b)
{
	return a->len == b->len && (a->len == 0 || memcmp(a->at, b->at, a->len) == 0);
}

static void check_again(const struct copies *first, const struct dh_bytes *form)
{
	struct copies second;
	copies_make(&second, form->at, form->len);
	DH_CHECK(second.clean);
	DH_CHECK(second.events == first->events);
	DH_CHECK(bytes_same(&first->text, &second.text));
	DH_CHECK(bytes_same(&first->binary, &second.binary));
	copies_free(&second);
}

uint64_t drain(const uint8_t *data, size_t len)
{
	struct copies c;
	copies_make(&c, data, len);
	check_again(&c, &c.text);
	check_again(&c, &c.binary);
	uint64_t events = c.events;
	copies_free(&c);
	return events;
}
