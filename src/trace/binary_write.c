/* SPDX-License-Identifier: MIT */
/*
 * The encoder of binary.h. A block is collected in two parts, the names that it is
 * the first to use and its events; it goes out before the two have more than
 * BLOCK_FULL bytes, unless it is one name or one event that is longer than that.
 */
#include "trace/binary.h"

#include "base/crc32c.h"

#include <errno.h>
#include <zstd.h>

enum {
	BLOCK_FULL = 256 << 10,
	/* The count of names in front, on top of names and events. */
	PLAIN_MAX = DH_BLOCK_MAX - DH_VARINT_MAX,
	ZSTD_LEVEL = 3,
	ZSTD_LEVEL_FAST = -3,
};

static void put_u16(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
}

static void put_u32(uint8_t *p, uint32_t v)
{
	put_u16(p, v);
	put_u16(p + 2, v >> 16);
}

int dh_binary_writer_init(struct dh_binary_writer *w, bool recording,
			  dh_binary_sink *sink, void *context)
{
	uint8_t header[DH_TRACE_HEADER_SIZE] = DH_TRACE_MAGIC;
	*w = (struct dh_binary_writer){.sink = sink, .context = context, .block = 1};
	dh_vec_push(&w->numbers[DH_NAME_SITE], 1); /* the empty location is number 0 */
	w->counts[DH_NAME_SITE] = 1;
	put_u16(header + DH_TRACE_MAGIC_SIZE,
		recording ? DH_TRACE_VERSION_RECORDING : DH_TRACE_VERSION);
	put_u32(header + 12, dh_crc32c(0, header, 12));
	return sink(context, header, sizeof header);
}

void dh_binary_writer_free(struct dh_binary_writer *w)
{
	for (int k = 0; k < DH_NAME_KINDS; k++)
		dh_vec_free(&w->numbers[k]);
	dh_vec_free(&w->names);
	dh_vec_free(&w->body);
	dh_vec_free(&w->out);
	dh_vec_free(&w->threads);
	ZSTD_freeCCtx(w->zstd);
	w->zstd = NULL;
}

/* --- blocks --- */

/* Puts the packed form of the plain bytes behind the header at out.at; returns its
 * length, or 0 where packing does not make it shorter. */
static size_t pack(struct dh_binary_writer *w, const struct dh_bytes *plain, int level)
{
	if (!w->zstd)
		w->zstd = ZSTD_createCCtx();
	if (!w->zstd)
		return 0;
	size_t room = ZSTD_compressBound(plain->len);
	dh_vec_reserve(&w->out, DH_BLOCK_HEADER_SIZE + room);
	size_t n = ZSTD_compressCCtx(w->zstd, w->out.at + DH_BLOCK_HEADER_SIZE, room,
				     plain->at, plain->len, level);
	return ZSTD_isError(n) || n >= plain->len ? 0 : n;
}

static int emit(struct dh_binary_writer *w, enum dh_block_kind kind,
		const struct dh_bytes *plain, uint32_t events)
{
	/* While a program is recorded, time counts for more than space. */
	size_t stored =
	    pack(w, plain, kind == DH_BLOCK_RECORDS ? ZSTD_LEVEL_FAST : ZSTD_LEVEL);
	enum dh_block_codec codec = stored ? DH_CODEC_ZSTD : DH_CODEC_RAW;
	if (codec == DH_CODEC_RAW) {
		stored = plain->len;
		dh_vec_reserve(&w->out, DH_BLOCK_HEADER_SIZE + stored);
		dh_copy(w->out.at + DH_BLOCK_HEADER_SIZE, plain->at, stored);
	}
	uint8_t *header = w->out.at;
	header[0] = (uint8_t)kind;
	header[1] = (uint8_t)codec;
	put_u16(header + 2, 0);
	put_u32(header + 4, (uint32_t)stored);
	put_u32(header + 8, (uint32_t)plain->len);
	put_u32(header + 12, events);
	uint32_t crc = dh_crc32c(0, header, DH_BLOCK_CRC_AT);
	put_u32(header + DH_BLOCK_CRC_AT,
		dh_crc32c(crc, header + DH_BLOCK_HEADER_SIZE, stored));
	return w->sink(w->context, header, DH_BLOCK_HEADER_SIZE + stored);
}

int dh_binary_flush(struct dh_binary_writer *w)
{
	if (w->block_names == 0 && w->block_events == 0)
		return 0;
	struct dh_bytes plain = {0};
	dh_vec_reserve(&plain, DH_VARINT_MAX + w->names.len + w->body.len);
	dh_bytes_varint(&plain, w->block_names);
	dh_bytes_put(&plain, w->names.at, w->names.len);
	dh_bytes_put(&plain, w->body.at, w->body.len);
	int status = emit(w, DH_BLOCK_EVENTS, &plain, w->block_events);
	dh_vec_free(&plain);
	w->names.len = w->body.len = 0;
	w->block_names = w->block_events = 0;
	w->thread = 0;
	w->block++;
	return status;
}

int dh_binary_put_records(struct dh_binary_writer *w, const struct dh_bytes *plain,
			  uint32_t entries)
{
	w->events += entries;
	return emit(w, DH_BLOCK_RECORDS, plain, entries);
}

int dh_binary_finish(struct dh_binary_writer *w)
{
	int status = dh_binary_flush(w);
	if (status)
		return status;
	struct dh_bytes plain = {0};
	dh_bytes_varint(&plain, w->events);
	status = emit(w, DH_BLOCK_END, &plain, 0);
	dh_vec_free(&plain);
	return status;
}

/* --- names --- */

/* Puts a name that the file does not have yet into the block. The events of the
 * block do not yet use it, so the block may go out before them. */
static DH_NOINLINE int define(struct dh_binary_writer *w, const struct dh_names *names,
			      enum dh_name_kind kind, uint32_t id)
{
	size_t len = dh_names_length(names, kind, id);
	if (len > PLAIN_MAX - DH_VARINT_MAX - 1)
		return -E2BIG;
	if (w->names.len + w->body.len + len > BLOCK_FULL) {
		int status = dh_binary_flush(w);
		if (status)
			return status;
	}
	dh_bytes_byte(&w->names, (uint8_t)kind);
	dh_bytes_varint(&w->names, len);
	dh_bytes_put(&w->names, dh_names_text(names, kind, id), len);
	w->block_names++;
	dh_vec_grow(&w->numbers[kind], (size_t)id + 1);
	w->numbers[kind].at[id] = ++w->counts[kind];
	return 0;
}

static inline int named(struct dh_binary_writer *w, const struct dh_names *names,
			enum dh_name_kind kind, uint32_t id)
{
	if (DH_LIKELY(id < w->numbers[kind].len && w->numbers[kind].at[id]))
		return 0;
	return define(w, names, kind, id);
}

/* In the order in which the text has them, so that a trace read from either form
 * gets the same numbers. */
static int all_named(struct dh_binary_writer *w, const struct dh_names *names,
		     const struct dh_event *ev)
{
	int status = named(w, names, DH_NAME_THREAD, ev->thread);
	if (!status)
		status = named(w, names, dh_op_kind(ev->op), ev->target);
	for (uint32_t i = 0; i < ev->reach_count && !status; i++)
		status = named(w, names, DH_NAME_VAR, ev->reach[i]);
	if (!status)
		status = named(w, names, DH_NAME_SITE, ev->site);
	return status;
}

/* --- events --- */

static uint32_t number(const struct dh_binary_writer *w, enum dh_name_kind kind,
		       uint32_t id)
{
	return w->numbers[kind].at[id] - 1;
}

static void put_step(struct dh_bytes *to, uint32_t *last, uint32_t next)
{
	dh_bytes_varint(to, dh_zigzag((int64_t)next - *last));
	*last = next;
}

static struct dh_binary_thread *thread_of(struct dh_binary_writer *w, uint32_t thread)
{
	dh_vec_grow(&w->threads, (size_t)thread + 1);
	struct dh_binary_thread *t = &w->threads.at[thread];
	if (t->block != w->block)
		*t = (struct dh_binary_thread){.block = w->block};
	return t;
}

static void put_payload(struct dh_binary_writer *w, uint32_t var,
			const struct dh_event *ev)
{
	if (ev->has_value) {
		dh_bytes_varint(&w->body, dh_zigzag(ev->value));
		return;
	}
	dh_bytes_varint(&w->body, ev->reach_count);
	for (uint32_t i = 0; i < ev->reach_count; i++)
		put_step(&w->body, &var, number(w, DH_NAME_VAR, ev->reach[i]));
}

static void put_event(struct dh_binary_writer *w, const struct dh_event *ev)
{
	uint32_t thread = number(w, DH_NAME_THREAD, ev->thread);
	uint32_t site = number(w, DH_NAME_SITE, ev->site);
	enum dh_name_kind kind = dh_op_kind(ev->op);
	struct dh_binary_thread *t = thread_of(w, thread);
	uint8_t head = ev->op;
	if (thread != w->thread)
		head |= DH_HEAD_THREAD;
	if (site != t->last[DH_NAME_SITE])
		head |= DH_HEAD_SITE;
	if (ev->has_value || ev->reach_count)
		head |= DH_HEAD_PAYLOAD;
	dh_bytes_byte(&w->body, head);
	if (head & DH_HEAD_THREAD)
		put_step(&w->body, &w->thread, thread);
	if (head & DH_HEAD_SITE)
		put_step(&w->body, &t->last[DH_NAME_SITE], site);
	put_step(&w->body, &t->last[kind], number(w, kind, ev->target));
	if (head & DH_HEAD_PAYLOAD)
		put_payload(w, t->last[DH_NAME_VAR], ev);
}

int dh_binary_put(struct dh_binary_writer *w, const struct dh_names *names,
		  const struct dh_event *ev)
{
	int status = all_named(w, names, ev);
	if (status)
		return status;
	/* 5 bytes hold any step to another name, 64 the rest of any event. */
	uint64_t most = 64 + 5 * (uint64_t)ev->reach_count;
	if (most > PLAIN_MAX)
		return -E2BIG;
	if (w->names.len + w->body.len + most > BLOCK_FULL)
		status = dh_binary_flush(w);
	if (status)
		return status;
	put_event(w, ev);
	w->block_events++;
	w->events++;
	return 0;
}
