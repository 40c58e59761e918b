/* SPDX-License-Identifier: MIT */
/*
 * See tape.h. Heads of records are given numbers when they first come; the object of a
 * record is written as the distance from the last one with the same head. Blocks go out
 * when they have FULL bytes.
 */
#include "record/tape.h"

enum { FULL = 256 << 10, NOT_YET = DH_RING_NOBODY - 1 };

void dh_tape_init(struct dh_tape *t, struct dh_writer *writer)
{
	*t = (struct dh_tape){.writer = writer, .thread = NOT_YET};
}

void dh_tape_free(struct dh_tape *t)
{
	dh_map_free(&t->heads);
	dh_map_free(&t->threads);
	dh_vec_free(&t->last);
	dh_vec_free(&t->block);
}

/* ---- entries ---- */

static void flush(struct dh_tape *t)
{
	if (!t->entries)
		return;
	int status = dh_writer_put_records(t->writer, &t->block, t->entries);
	if (!t->status)
		t->status = status;
	t->passed += t->block.len;
	t->block.len = t->entries = 0;
}

static void entry(struct dh_tape *t, uint64_t what)
{
	dh_bytes_varint(&t->block, what);
	t->entries++;
}

static void end_run(struct dh_tape *t)
{
	if (!t->run)
		return;
	entry(t, DH_TAPE_RUN);
	dh_bytes_varint(&t->block, t->run);
	t->run = 0;
}

static void turn_to(struct dh_tape *t, uint32_t thread)
{
	end_run(t);
	entry(t, DH_TAPE_THREAD);
	dh_bytes_varint(&t->block, thread);
	*dh_map_put(&t->threads, thread, NULL) = 1;
	t->thread = thread;
}

static DH_NOINLINE uint32_t number_slow(struct dh_tape *t, uint64_t head, bool *fresh)
{
	uint64_t *at = dh_map_put(&t->heads, head, fresh);
	if (*fresh) {
		*at = t->last.len;
		dh_vec_push(&t->last, 0);
	}
	return (uint32_t)*at;
}

static void put_head(struct dh_tape *t, const struct dh_raw *r)
{
	bool fresh = false;
	size_t i = (r->head ^ r->head >> DH_RAW_PLACE_SHIFT) % DH_TAPE_NEAR;
	if (DH_UNLIKELY(t->near[i].head != r->head)) {
		t->near[i].number = number_slow(t, r->head, &fresh);
		t->near[i].head = r->head;
	}
	uint64_t *last = &t->last.at[t->near[i].number];
	if (fresh) {
		entry(t, DH_TAPE_NEW);
		dh_bytes_varint(&t->block, r->head);
	} else {
		entry(t, DH_TAPE_HEADS + t->near[i].number);
	}
	dh_bytes_varint(&t->block, dh_zigzag((int64_t)(r->object - *last)));
	*last = r->object;
}

/* Returns how many records it has. */
static size_t put_record(struct dh_tape *t, const struct dh_raw *r)
{
	end_run(t);
	put_head(t, r);
	if (!dh_raw_has_payload(dh_raw_kind(r)))
		return 1;
	size_t n = DH_MIN(r[1].head, (uint64_t)DH_RING_PAYLOAD_MAX);
	dh_bytes_varint(&t->block, n);
	dh_bytes_varint(&t->block, r[1].object);
	dh_bytes_put(&t->block, r + 2, n * sizeof *r);
	return 2 + n;
}

void dh_tape_put(struct dh_tape *t, uint32_t thread, const struct dh_raw *at, size_t n)
{
	if (thread != t->thread)
		turn_to(t, thread);
	for (size_t i = 0; i < n;) {
		if (dh_raw_kind(&at[i]) == DH_RAW_RUN) {
			t->run += at[i].object;
			t->records += at[i++].object;
		} else {
			i += put_record(t, &at[i]);
			t->records++;
		}
	}
	if (DH_UNLIKELY(t->block.len >= FULL))
		flush(t);
}

uint64_t dh_tape_size(const struct dh_tape *t)
{
	return t->passed + t->block.len;
}

uint64_t dh_tape_threads(const struct dh_tape *t)
{
	return t->threads.len - (dh_map_get(&t->threads, DH_RING_NOBODY) != NULL);
}

int dh_tape_finish(struct dh_tape *t)
{
	end_run(t);
	flush(t);
	return t->status ? t->status : dh_writer_finish(t->writer);
}

/* ---- reading ---- */

void dh_tape_reader_init(struct dh_tape_reader *t, struct dh_binary_reader *blocks)
{
	*t = (struct dh_tape_reader){.blocks = blocks, .thread = NOT_YET};
}

void dh_tape_reader_free(struct dh_tape_reader *t)
{
	dh_vec_free(&t->heads);
	dh_vec_free(&t->record);
}

static const struct dh_raw *wrong(struct dh_tape_reader *t, const char *what)
{
	dh_binary_bad_records(t->blocks, what);
	t->damaged = true;
	return NULL;
}

/* False where the block has no whole number there. */
static bool number(struct dh_tape_reader *t, uint64_t *v)
{
	struct dh_binary_reader *b = t->blocks;
	*v = 0;
	for (unsigned shift = 0; shift < 64 && b->at < b->end; shift += 7) {
		uint64_t byte = *b->at++;
		*v |= (byte & 0x7f) << shift;
		if (byte < 0x80)
			return true;
	}
	return false;
}

static bool payload(struct dh_tape_reader *t)
{
	uint64_t n, object;
	struct dh_binary_reader *b = t->blocks;
	if (!number(t, &n) || !number(t, &object) || n > DH_RING_PAYLOAD_MAX ||
	    (n && object > n * sizeof(struct dh_raw)) ||
	    n * sizeof(struct dh_raw) > (uint64_t)(b->end - b->at))
		return false;
	dh_vec_push(&t->record, (struct dh_raw){n, object});
	dh_vec_reserve(&t->record, 2 + n);
	dh_copy(t->record.at + 2, b->at, n * sizeof(struct dh_raw));
	b->at += n * sizeof(struct dh_raw);
	return true;
}

/* The head of a record, from its number or anew; NULL where there is none such. */
static struct dh_raw *head(struct dh_tape_reader *t, uint64_t what)
{
	if (what == DH_TAPE_NEW) {
		struct dh_raw fresh = {0};
		if (!number(t, &fresh.head))
			return NULL;
		dh_vec_push(&t->heads, fresh);
		return &t->heads.at[t->heads.len - 1];
	}
	what -= DH_TAPE_HEADS;
	return what < t->heads.len ? &t->heads.at[what] : NULL;
}

static const struct dh_raw *record(struct dh_tape_reader *t, uint64_t what)
{
	uint64_t step;
	struct dh_raw *r = head(t, what);
	if (!r || !number(t, &step))
		return wrong(t, "a record that is none");
	r->object += (uint64_t)dh_unzigzag(step);
	t->record.len = 0;
	dh_vec_push(&t->record, *r);
	enum dh_raw_kind kind = dh_raw_kind(r);
	if (kind <= DH_RAW_THREAD || kind >= DH_RAW_RUN ||
	    (dh_raw_has_payload(kind) && !payload(t)))
		return wrong(t, "a record of no known kind");
	return t->record.at;
}

static const struct dh_raw *run(struct dh_tape_reader *t)
{
	struct dh_raw r = {dh_raw_head(DH_RAW_RUN, 0, 0), 0};
	if (!number(t, &r.object))
		return wrong(t, "a run that is cut short");
	t->record.len = 0;
	dh_vec_push(&t->record, r);
	return t->record.at;
}

const struct dh_raw *dh_tape_next(struct dh_tape_reader *t, uint32_t *thread)
{
	struct dh_binary_reader *b = t->blocks;
	uint64_t what, whose;
	for (;;) {
		while (b->at == b->end) {
			int got = dh_binary_next_records(b);
			t->damaged = got < 0;
			if (got <= 0)
				return NULL;
		}
		if (!number(t, &what))
			return wrong(t, "an entry that is cut short");
		if (what != DH_TAPE_THREAD)
			break;
		if (!number(t, &whose) ||
		    (whose > DH_TAPE_THREAD_MAX && whose != DH_RING_NOBODY))
			return wrong(t, "a thread that cannot be");
		t->thread = (uint32_t)whose;
	}
	*thread = t->thread;
	if (t->thread == NOT_YET)
		return wrong(t, "a record of no thread");
	return what == DH_TAPE_RUN ? run(t) : record(t, what);
}
