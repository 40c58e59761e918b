/* SPDX-License-Identifier: MIT */
/* See replay.h. The file is not trusted: a record that no program can have made ends the
 * reading, as other damage does. */
#include "record/replay.h"

#include "record/expand.h"
#include "record/scribe.h"
#include "record/tape.h"
#include "runtime/observer.h"

/* Records one by one, runs written out. */
struct records {
	struct dh_tape_reader tape;
	struct dh_expand expand;
	uint32_t thread;
	uint64_t run;  /* that many are still to come of a run */
	uint64_t work; /* see dh_replay_most */
	struct dh_raw foreseen;
};

struct replay {
	struct records records;
	struct dh_survey survey;
	struct dh_scribe scribe;
	struct dh_vec(struct dh_event) events; /* of the last record */
	size_t given;			       /* of them */
};

/* ---- records ---- */

#define TOP (UINT64_C(1) << 48) /* addresses are below */

static bool is_memory(uint64_t at, uint64_t size)
{
	return at < TOP && size < TOP - at;
}

static bool is_step(const struct dh_raw *r)
{
	unsigned what = dh_raw_byte(r);
	return what < DH_SEEN_KINDS && ((what != DH_SEEN_FORK && what != DH_SEEN_JOIN) ||
					r->object <= DH_TAPE_THREAD_MAX);
}

static bool is_reach(const struct dh_raw *r)
{
	for (uint64_t i = 0; i < r[1].head; i++)
		if (!is_memory(r[2 + i].head, r[2 + i].object))
			return false;
	return true;
}

static bool is_possible(const struct dh_raw *r)
{
	switch (dh_raw_kind(r)) {
	case DH_RAW_READ:
	case DH_RAW_WRITE:
		return is_memory(r->object, 8) && r->object % 8 + dh_raw_byte(r) <= 8;
	case DH_RAW_ATOMIC:
	case DH_RAW_TOUCH:
		return is_memory(r->object, dh_raw_byte(r) & DH_RAW_ATOMIC_SIZE);
	case DH_RAW_READ_RANGE:
	case DH_RAW_WRITE_RANGE:
	case DH_RAW_ALLOC:
	case DH_RAW_FREE:
	case DH_RAW_FRESH:
		return is_memory(r->object, r[1].object);
	case DH_RAW_SYNC:
		return is_step(r);
	case DH_RAW_REACH:
		return is_reach(r);
	case DH_RAW_MODULE:
	case DH_RAW_NAME:
	case DH_RAW_CALL:
	case DH_RAW_SETTINGS:
		return r[1].object <= r[1].head * sizeof *r;
	default:
		return dh_raw_kind(r) == DH_RAW_RETURN || dh_raw_kind(r) == DH_RAW_STAMP;
	}
}

uint64_t dh_replay_most = UINT64_C(1) << 34;

/* Of a record that is possible, in the unit of dh_replay_most. Memory that is given back
 * is looked at only where it was used. */
static uint64_t work_of(const struct dh_raw *r)
{
	uint64_t size = 0;
	switch (dh_raw_kind(r)) {
	case DH_RAW_READ_RANGE:
	case DH_RAW_WRITE_RANGE:
		size = r[1].object;
		break;
	case DH_RAW_ALLOC: /* page by page: blocks.h */
		size = r[1].object / 512;
		break;
	case DH_RAW_REACH:
		for (uint64_t i = 0; i < r[1].head; i++)
			size += r[2 + i].object;
		break;
	default:
		break;
	}
	return 1 + size / 8;
}

/* The next, or NULL at the end or where the file is damaged. */
static const struct dh_raw *next_record(struct records *s)
{
	const struct dh_raw *r;
	bool possible;
	while (!s->run) {
		r = dh_tape_next(&s->tape, &s->thread);
		if (!r)
			return NULL;
		if (dh_raw_kind(r) == DH_RAW_RUN) {
			s->run = r->object;
			continue;
		}
		dh_expand_learn(&s->expand, s->thread, r);
		goto found;
	}
	s->run--;
	s->foreseen = dh_expand_take(&s->expand, s->thread);
	r = &s->foreseen;
found:
	possible = is_possible(r);
	s->work += possible ? work_of(r) : 0;
	if (possible && s->work <= dh_replay_most)
		return r;
	s->tape.damaged = true;
	dh_binary_bad_records(s->tape.blocks, possible
						  ? "more than a program can have done"
						  : "a record that makes no sense");
	return NULL;
}

static void free_records(struct records *s)
{
	dh_tape_reader_free(&s->tape);
	dh_expand_free(&s->expand);
	*s = (struct records){0};
}

/* ---- events ---- */

static int collect(void *context, const struct dh_event *ev)
{
	struct replay *p = context;
	dh_vec_push(&p->events, *ev);
	return 0;
}

static void *open(struct dh_binary_reader *blocks, struct dh_names *names)
{
	struct replay *p = dh_mem_alloc(sizeof *p);
	const struct dh_raw *r;
	dh_survey_init(&p->survey);
	dh_tape_reader_init(&p->records.tape, blocks);
	while ((r = next_record(&p->records)))
		dh_survey_look(&p->survey, p->records.thread, r, dh_raw_length(r));
	dh_survey_finish(&p->survey);
	free_records(&p->records);
	dh_scribe_init(&p->scribe, &p->survey, names, collect, p);
	dh_tape_reader_init(&p->records.tape, blocks);
	p->records.tape.damaged = !dh_binary_reader_rewind(blocks);
	return p;
}

static int next(void *context, struct dh_event *ev)
{
	struct replay *p = context;
	while (p->given == p->events.len) {
		const struct dh_raw *r =
		    p->records.tape.damaged ? NULL : next_record(&p->records);
		if (!r)
			return p->records.tape.damaged ? -1 : 0;
		p->given = p->events.len = 0;
		p->scribe.thread = p->records.thread;
		dh_scribe_take(&p->scribe, r);
	}
	*ev = p->events.at[p->given++];
	return 1;
}

static void close(void *context)
{
	struct replay *p = context;
	free_records(&p->records);
	dh_scribe_free(&p->scribe);
	dh_survey_free(&p->survey);
	dh_vec_free(&p->events);
	dh_mem_free(p, sizeof *p);
}

const struct dh_reader_events dh_replay = {open, next, close};
