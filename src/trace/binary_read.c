/* SPDX-License-Identifier: MIT */
/*
 * The decoder of binary.h. The input is not trusted: every length is checked against
 * what is there, every number against the count of its names, and a block is looked
 * into only after its check sum was found right.
 *
 * Invariants: while events_left > 0, [at, end) is what is left of the block, in the
 * window of the input (raw) or in `plain` (zstd). The window is moved on, by
 * block_size, only when the next block is asked for. counts[] are those of the names
 * table and change only at the start of a block, where all its names are.
 */
#include "trace/binary.h"

#include "base/crc32c.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <zstd.h>

static DH_COLD bool bad(struct dh_binary_reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static DH_COLD bool bad(struct dh_binary_reader *r, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(r->message, sizeof r->message, format, args);
	va_end(args);
	return false;
}

static uint32_t u16_at(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static uint32_t u32_at(const uint8_t *p)
{
	return u16_at(p) | u16_at(p + 2) << 16;
}

/* --- the file header --- */

static bool header_ok(struct dh_binary_reader *r, bool *damaged)
{
	size_t have = dh_input_want(r->in, DH_TRACE_HEADER_SIZE);
	const uint8_t *p = (const uint8_t *)r->in->at;
	*damaged = true;
	if (have < DH_TRACE_HEADER_SIZE)
		return bad(r, "cut short");
	if (u32_at(p + 12) != dh_crc32c(0, p, 12))
		return bad(r, "CRC mismatch");
	*damaged = false;
	uint32_t version = u16_at(p + DH_TRACE_MAGIC_SIZE);
	if (version > DH_TRACE_VERSION_RECORDING)
		return bad(r,
			   "binary trace of version %" PRIu32
			   "; this deadheat reads up to version %d: use a newer one",
			   version, DH_TRACE_VERSION_RECORDING);
	if (version == 0)
		return bad(r, "binary trace of version 0, which does not exist");
	r->recording = version == DH_TRACE_VERSION_RECORDING;
	return true;
}

bool dh_binary_reader_init(struct dh_binary_reader *r, struct dh_input *in,
			   struct dh_names *names, bool *damaged)
{
	*r = (struct dh_binary_reader){.in = in, .names = names};
	if (!header_ok(r, damaged))
		return false;
	dh_input_take(in, DH_TRACE_HEADER_SIZE);
	return true;
}

bool dh_binary_reader_rewind(struct dh_binary_reader *r)
{
	struct dh_input *in = r->in;
	struct dh_names *names = r->names;
	bool damaged;
	dh_binary_reader_free(r);
	return dh_input_rewind(in) && dh_binary_reader_init(r, in, names, &damaged);
}

void dh_binary_reader_free(struct dh_binary_reader *r)
{
	dh_vec_free(&r->plain);
	dh_vec_free(&r->threads);
	dh_vec_free(&r->reach);
	ZSTD_freeDCtx(r->zstd);
	r->zstd = NULL;
}

/* --- what a block is made of --- */

static DH_NOINLINE bool varint_slow(struct dh_binary_reader *r, uint64_t *v)
{
	*v = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		if (r->at == r->end)
			return bad(r, "a number is cut short");
		uint64_t byte = *r->at++;
		if (shift == 63 && byte > 1)
			break;
		*v |= (byte & 0x7f) << shift;
		if (byte < 0x80)
			return true;
	}
	return bad(r, "a number has more than 64 bits");
}

static inline bool varint(struct dh_binary_reader *r, uint64_t *v)
{
	if (DH_LIKELY(r->at < r->end && *r->at < 0x80)) {
		*v = *r->at++;
		return true;
	}
	return varint_slow(r, v);
}

static DH_COLD bool no_such_name(struct dh_binary_reader *r, enum dh_name_kind kind)
{
	static const char *const texts[DH_NAME_KINDS] = {
	    "thread",  "variable", "lock",   "message",
	    "barrier", "volatile", "method", "location"};
	return bad(r, "event %" PRIu64 " has a %s that was not named", r->events,
		   texts[kind]);
}

/* *number moves by the next delta, to a name that must be there. */
static inline bool step(struct dh_binary_reader *r, enum dh_name_kind kind,
			uint32_t *number)
{
	uint64_t delta;
	if (DH_UNLIKELY(!varint(r, &delta)))
		return false;
	uint64_t to = *number + (uint64_t)dh_unzigzag(delta);
	if (DH_UNLIKELY(to >= r->counts[kind]))
		return no_such_name(r, kind);
	*number = (uint32_t)to;
	return true;
}

static bool name_record(struct dh_binary_reader *r)
{
	uint64_t len;
	if (r->at == r->end)
		return bad(r, "a name is cut short");
	uint8_t kind = *r->at++;
	if (kind >= DH_NAME_KINDS)
		return bad(r, "a name of the unknown kind %d", kind);
	if (!varint(r, &len))
		return false;
	if (len > (uint64_t)(r->end - r->at))
		return bad(r, "a name is cut short");
	const char *text = (const char *)r->at;
	if (!dh_names_allowed(kind, text, len))
		return bad(r, "a name has characters that no name may have");
	uint32_t count = dh_names_count(r->names, kind);
	if (dh_names_intern(r->names, kind, text, len) != count)
		return bad(r, "a name is defined twice");
	r->at += len;
	return true;
}

static bool names_ok(struct dh_binary_reader *r)
{
	uint64_t n;
	if (!varint(r, &n))
		return false;
	for (; n > 0; n--)
		if (!name_record(r))
			return false;
	for (int k = 0; k < DH_NAME_KINDS; k++)
		r->counts[k] = dh_names_count(r->names, k);
	return true;
}

/* --- blocks --- */

struct block {
	uint8_t kind, codec;
	uint32_t stored, plain, events, crc;
};

static bool block_fetch(struct dh_binary_reader *r, struct block *b)
{
	size_t have = dh_input_want(r->in, DH_BLOCK_HEADER_SIZE);
	if (have == 0)
		return bad(r, "the end block is missing");
	if (have < DH_BLOCK_HEADER_SIZE)
		return bad(r, "cut short");
	const uint8_t *p = (const uint8_t *)r->in->at;
	*b = (struct block){.kind = p[0],
			    .codec = p[1],
			    .stored = u32_at(p + 4),
			    .plain = u32_at(p + 8),
			    .events = u32_at(p + 12),
			    .crc = u32_at(p + DH_BLOCK_CRC_AT)};
	if (b->stored > DH_BLOCK_MAX || b->plain > DH_BLOCK_MAX)
		return bad(r, "bad header (a block has %d bytes at most)", DH_BLOCK_MAX);
	r->block_size = DH_BLOCK_HEADER_SIZE + b->stored;
	if (dh_input_want(r->in, r->block_size) < r->block_size)
		return bad(r, "cut short");
	p = (const uint8_t *)r->in->at;
	uint32_t crc = dh_crc32c(0, p, DH_BLOCK_CRC_AT);
	if (dh_crc32c(crc, p + DH_BLOCK_HEADER_SIZE, b->stored) != b->crc)
		return bad(r, "CRC mismatch");
	return true;
}

static bool unzstd(struct dh_binary_reader *r, const struct block *b, const uint8_t *from)
{
	if (ZSTD_getFrameContentSize(from, b->stored) != b->plain)
		return bad(r, "its zstd frame has another length than its header");
	if (!r->zstd)
		r->zstd = ZSTD_createDCtx();
	if (!r->zstd)
		return bad(r, "no memory to unpack it");
	dh_vec_reserve(&r->plain, DH_MAX(b->plain, 1u));
	size_t n = ZSTD_decompressDCtx(r->zstd, r->plain.at, b->plain, from, b->stored);
	if (ZSTD_isError(n) || n != b->plain)
		return bad(r, "its zstd frame does not unpack");
	r->at = r->plain.at;
	return true;
}

static bool block_unpack(struct dh_binary_reader *r, const struct block *b)
{
	const uint8_t *from = (const uint8_t *)r->in->at + DH_BLOCK_HEADER_SIZE;
	if (b->codec == DH_CODEC_ZSTD) {
		if (!unzstd(r, b, from))
			return false;
	} else if (b->codec != DH_CODEC_RAW) {
		return bad(r, "unknown codec %d", b->codec);
	} else if (b->stored != b->plain) {
		return bad(r, "a raw block with two lengths");
	} else {
		r->at = from;
	}
	r->end = r->at + b->plain;
	return true;
}

/* After the end block: its count must be right, and nothing may follow. */
static bool end_ok(struct dh_binary_reader *r)
{
	uint64_t events;
	if (!varint(r, &events) || r->at != r->end)
		return bad(r, "bad end block");
	if (events != r->events)
		return bad(r, "the end block counts %" PRIu64 " events", events);
	dh_input_take(r->in, r->block_size);
	r->block_size = 0;
	r->over = true;
	if (dh_input_want(r->in, 1) == 0)
		return true;
	r->block++;
	r->block_start = r->in->passed;
	return bad(r, "more bytes after the end block");
}

/* Goes to the next block. False where it, or the end of this one, is damaged. */
static bool block_next(struct dh_binary_reader *r)
{
	struct block b = {0};
	if (r->at != r->end)
		return bad(r, "more bytes than its events have");
	dh_input_take(r->in, r->block_size);
	r->block_size = 0;
	r->block++;
	r->block_start = r->in->passed;
	if (!block_fetch(r, &b))
		return false;
	if (b.kind & DH_BLOCK_OPTIONAL)
		return true;
	if (b.kind != (r->recording ? DH_BLOCK_RECORDS : DH_BLOCK_EVENTS) &&
	    b.kind != DH_BLOCK_END)
		return bad(r, "unknown kind %d", b.kind);
	if (!block_unpack(r, &b))
		return false;
	if (b.kind == DH_BLOCK_END)
		return end_ok(r);
	if (!r->recording && !names_ok(r))
		return false;
	r->events_left = b.events;
	r->thread = 0;
	return true;
}

/* --- events --- */

static struct dh_binary_thread *thread_of(struct dh_binary_reader *r)
{
	if (DH_UNLIKELY(r->thread >= r->threads.len))
		dh_vec_grow(&r->threads, r->counts[DH_NAME_THREAD]);
	struct dh_binary_thread *t = &r->threads.at[r->thread];
	if (DH_UNLIKELY(t->block != r->block))
		*t = (struct dh_binary_thread){.block = r->block};
	return t;
}

static bool reach(struct dh_binary_reader *r, uint32_t var, struct dh_event *ev)
{
	uint64_t n;
	if (!varint(r, &n))
		return false;
	if (n > (uint64_t)(r->end - r->at)) /* each takes a byte or more */
		return bad(r, "a list of variables is cut short");
	r->reach.len = 0;
	for (; n > 0; n--) {
		if (!step(r, DH_NAME_VAR, &var))
			return false;
		dh_vec_push(&r->reach, var);
	}
	ev->reach = r->reach.at;
	ev->reach_count = (uint32_t)r->reach.len;
	return true;
}

static bool payload(struct dh_binary_reader *r, const struct dh_binary_thread *t,
		    struct dh_event *ev)
{
	if (ev->op == DH_METHOD_BEGIN)
		return reach(r, t->last[DH_NAME_VAR], ev);
	if (!dh_op_is_access(ev->op))
		return bad(r, "event %" PRIu64 " has a value but is no read or write",
			   r->events);
	uint64_t value;
	if (!varint(r, &value))
		return false;
	ev->has_value = true;
	ev->value = dh_unzigzag(value);
	return true;
}

static const uint8_t op_kinds[DH_OP_COUNT] = {
#define X(id, text, kind) kind,
    DH_OPS(X)
#undef X
};
_Static_assert((int)DH_OP_COUNT <= (int)DH_HEAD_OP, "an operation fits in the head byte");

static bool event(struct dh_binary_reader *r, struct dh_event *ev)
{
	if (DH_UNLIKELY(r->at == r->end))
		return bad(r, "fewer events than its header says");
	uint8_t head = *r->at++, op = head & DH_HEAD_OP;
	if (DH_UNLIKELY(op >= DH_OP_COUNT))
		return bad(r, "event %" PRIu64 " has the unknown operation %d", r->events,
			   op);
	if ((head & DH_HEAD_THREAD) && !step(r, DH_NAME_THREAD, &r->thread))
		return false;
	if (DH_UNLIKELY(r->thread >= r->counts[DH_NAME_THREAD]))
		return no_such_name(r, DH_NAME_THREAD);
	struct dh_binary_thread *t = thread_of(r);
	if ((head & DH_HEAD_SITE) && !step(r, DH_NAME_SITE, &t->last[DH_NAME_SITE]))
		return false;
	if (!step(r, op_kinds[op], &t->last[op_kinds[op]]))
		return false;
	*ev = (struct dh_event){.thread = r->thread,
				.target = t->last[op_kinds[op]],
				.site = t->last[DH_NAME_SITE],
				.op = op};
	return !(head & DH_HEAD_PAYLOAD) || payload(r, t, ev);
}

int dh_binary_next(struct dh_binary_reader *r, struct dh_event *ev)
{
	while (DH_UNLIKELY(r->events_left == 0)) {
		if (r->over)
			return 0;
		if (!block_next(r))
			return -1;
	}
	if (DH_UNLIKELY(!event(r, ev)))
		return -1;
	r->events_left--;
	r->events++;
	return 1;
}

/* --- recordings --- */

int dh_binary_next_records(struct dh_binary_reader *r)
{
	r->events += r->events_left;
	r->events_left = 0;
	do {
		if (r->over)
			return 0;
		if (!block_next(r))
			return -1;
	} while (r->events_left == 0);
	return 1;
}

int dh_binary_bad_records(struct dh_binary_reader *r, const char *what)
{
	bad(r, "%s", what);
	return -1;
}
