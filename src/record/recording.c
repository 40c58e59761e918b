/* SPDX-License-Identifier: MIT */
/* See recording.h. */
#include "record/recording.h"

#include "record/drain.h"
#include "record/expand.h"
#include "record/scribe.h"
#include "record/spool.h"
#include "record/tape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where only the end is kept. */
struct ending {
	struct dh_expand expand;
	struct dh_spool spool;
	struct dh_survey survey;
	struct dh_scribe scribe;
	struct dh_names *names;
};

struct dh_recording {
	struct dh_recording_config config;
	struct dh_drain *drain;
	struct dh_writer *writer;
	struct dh_tape tape;
	struct ending *ending; /* NULL: all of it, on the tape */
	bool cut;
};

/* ---- records ---- */

static void take_for_end(struct ending *e, uint32_t thread, const struct dh_raw *r)
{
	uint64_t run = dh_raw_kind(r) == DH_RAW_RUN ? r->object : 0;
	if (!run) {
		size_t n = dh_raw_length(r);
		dh_expand_learn(&e->expand, thread, r);
		dh_survey_look(&e->survey, thread, r, n);
		dh_spool_put(&e->spool, thread, r, n);
	}
	for (; run; run--) {
		struct dh_raw one = dh_expand_take(&e->expand, thread);
		dh_survey_look(&e->survey, thread, &one, 1);
		dh_spool_put(&e->spool, thread, &one, 1);
	}
}

static void put(struct dh_recording *r, uint32_t thread, const struct dh_raw *at,
		size_t n)
{
	if (!r->ending) {
		dh_tape_put(&r->tape, thread, at, n);
		return;
	}
	for (size_t i = 0; i < n; i += dh_raw_length(&at[i]))
		take_for_end(r->ending, thread, &at[i]);
}

/* A module: what its file is known again by comes first. */
static void put_stamp(struct dh_recording *r, const struct dh_raw *module)
{
	struct dh_raw stamp, both[2] = {{dh_raw_head(DH_RAW_STAMP, 0, 0), 0}, {0, 0}};
	const char *bytes = (const char *)(module + 2);
	uint64_t len = 0;
	if (module[1].object >= sizeof len)
		memcpy(&len, bytes, sizeof len);
	char *path = strndup(bytes + sizeof len, DH_MIN(len, module[1].object));
	if (path && dh_survey_stamp(path, &stamp)) {
		both[0].object = stamp.head;
		both[1].object = stamp.object;
		put(r, DH_RING_NOBODY, both, 2);
	}
	free(path);
}

static void take(void *context, uint32_t thread, const struct dh_raw *at, size_t n)
{
	struct dh_recording *r = context;
	if (r->cut)
		return;
	if (thread == DH_RING_NOBODY && dh_raw_kind(at) == DH_RAW_MODULE)
		put_stamp(r, at);
	put(r, thread, at, n);
}

/* The program starts in the same folder. */
static void put_settings(struct dh_recording *r)
{
	struct dh_raw all[2 + DH_RING_PAYLOAD_MAX] = {
	    {dh_raw_head(DH_RAW_SETTINGS, 0, 0), r->config.all ? DH_RING_ALL : 0}};
	char *folder = getcwd(NULL, 0);
	size_t len = folder ? strlen(folder) : 0;
	if (len > DH_RING_PAYLOAD_MAX * sizeof *all)
		len = 0;
	all[1].head = (len + sizeof *all - 1) / sizeof *all;
	all[1].object = len;
	memcpy(all + 2, folder, len);
	free(folder);
	put(r, DH_RING_NOBODY, all, 2 + all[1].head);
}

/* ---- life ---- */

static bool complain(const char *path, int status)
{
	fprintf(stderr, "deadheat: record: %s: %s\n", path, strerror(-status));
	return false;
}

static int write_event(void *context, const struct dh_event *ev)
{
	struct dh_recording *r = context;
	return dh_writer_put(r->writer, r->ending->names, ev);
}

static bool start_ending(struct dh_recording *r)
{
	struct ending *e = r->ending = dh_mem_alloc(sizeof *e);
	int status = dh_spool_open(&e->spool, r->config.path);
	e->names = dh_names_new();
	dh_survey_init(&e->survey);
	dh_scribe_init(&e->scribe, &e->survey, e->names, write_event, r);
	e->scribe.mute = true;
	return !status || complain(r->config.path, status);
}

static void end_ending(struct ending *e)
{
	if (!e)
		return;
	dh_scribe_free(&e->scribe);
	dh_survey_free(&e->survey);
	dh_names_free(e->names);
	dh_spool_close(&e->spool);
	dh_expand_free(&e->expand);
	dh_mem_free(e, sizeof *e);
}

static bool start(struct dh_recording *r)
{
	const struct dh_recording_config *c = &r->config;
	if (c->last && !start_ending(r))
		return false;
	if (dh_writer_open(&r->writer, c->path,
			   c->last ? DH_TRACE_BINARY : DH_TRACE_RECORDING)) {
		fprintf(stderr, "deadheat: record: %s\n", dh_writer_error(r->writer));
		return false;
	}
	dh_tape_init(&r->tape, r->writer);
	r->drain = dh_drain_new(c->all ? DH_RING_ALL : 0, take, r);
	if (!r->drain) {
		fputs("deadheat: record: no memory to share with the program\n", stderr);
		return false;
	}
	put_settings(r);
	return true;
}

struct dh_recording *dh_recording_new(const struct dh_recording_config *config)
{
	struct dh_recording *r = dh_mem_alloc(sizeof *r);
	r->config = *config;
	if (start(r))
		return r;
	dh_recording_free(r);
	return NULL;
}

void dh_recording_free(struct dh_recording *r)
{
	if (!r)
		return;
	dh_drain_free(r->drain);
	end_ending(r->ending);
	dh_tape_free(&r->tape);
	dh_writer_close(r->writer);
	dh_mem_free(r, sizeof *r);
}

const char *dh_recording_path(const struct dh_recording *r)
{
	return dh_drain_path(r->drain);
}

/* ---- while it runs ---- */

/* Of a recording of the end only: what is too long ago. */
static void let_go(struct ending *e, uint64_t keep)
{
	const struct dh_raw *raw;
	while (e->spool.written - e->spool.read > keep &&
	       (raw = dh_spool_next(&e->spool)))
		dh_scribe_take(&e->scribe, raw);
	dh_spool_forget(&e->spool);
}

static uint64_t size_of(const struct dh_recording *r)
{
	const struct ending *e = r->ending;
	return e ? (e->spool.written - e->spool.read) * sizeof(struct dh_raw)
		 : dh_tape_size(&r->tape);
}

uint64_t dh_recording_some(struct dh_recording *r)
{
	enum { SLACK = 1 << 16 };
	const struct dh_recording_config *c = &r->config;
	uint64_t some = dh_drain_some(r->drain);
	uint64_t much = c->last + DH_MAX(c->last / 8, (uint64_t)SLACK);
	if (r->ending && r->ending->spool.written - r->ending->spool.read > much)
		let_go(r->ending, c->last);
	if (c->max_size && !r->cut && size_of(r) > c->max_size) {
		r->cut = true;
		dh_drain_stop(r->drain);
	}
	return some;
}

bool dh_recording_attached(const struct dh_recording *r)
{
	return dh_drain_ring(r->drain)->owner != 0;
}

/* ---- the end ---- */

static int write_ending(struct dh_recording *r)
{
	struct ending *e = r->ending;
	const struct dh_raw *raw;
	dh_survey_finish(&e->survey);
	let_go(e, r->config.last);
	dh_scribe_speak(&e->scribe);
	while (!e->scribe.status && (raw = dh_spool_next(&e->spool)))
		dh_scribe_take(&e->scribe, raw);
	if (e->spool.status)
		return e->spool.status;
	return e->scribe.status ? e->scribe.status : dh_writer_finish(r->writer);
}

int dh_recording_finish(struct dh_recording *r, struct dh_recording_summary *out)
{
	const struct dh_ring *ring = dh_drain_ring(r->drain);
	const struct ending *e = r->ending;
	dh_drain_rest(r->drain);
	int status = e ? write_ending(r) : dh_tape_finish(&r->tape);
	if (status) {
		const char *what = dh_writer_error(r->writer);
		if (what)
			fprintf(stderr, "deadheat: record: %s\n", what);
		else
			complain("its temporary file", status);
	}
	*out = (struct dh_recording_summary){
	    .records = e ? e->spool.written : r->tape.records,
	    .threads =
		e ? dh_names_count(e->names, DH_NAME_THREAD) : dh_tape_threads(&r->tape),
	    .lost = ring->lost,
	    .others = ring->others,
	    .attached = dh_recording_attached(r),
	    .cut = r->cut,
	};
	memcpy(out->other, ring->other, sizeof out->other);
	return status;
}
