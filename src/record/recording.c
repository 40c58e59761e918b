/* SPDX-License-Identifier: MIT */
/* See recording.h. */
#include "record/recording.h"

#include "record/drain.h"
#include "record/scribe.h"
#include "record/spool.h"

#include <stdio.h>
#include <string.h>

struct dh_recording {
	struct dh_recording_config config;
	struct dh_drain *drain;
	struct dh_spool spool;
	struct dh_survey survey;
	struct dh_scribe scribe;
	struct dh_writer *writer;
	bool cut;
};

static void take(void *context, uint32_t thread, const struct dh_raw *at, size_t n)
{
	struct dh_recording *r = context;
	if (r->cut)
		return;
	dh_survey_look(&r->survey, thread, at, n);
	dh_spool_put(&r->spool, thread, at, n);
}

/* ---- life ---- */

static bool complain(const char *path, int status)
{
	fprintf(stderr, "deadheat: record: %s: %s\n", path, strerror(-status));
	return false;
}

static bool start(struct dh_recording *r)
{
	const struct dh_recording_config *c = &r->config;
	int status = dh_spool_open(&r->spool, c->path);
	if (status)
		return complain(c->path, status);
	if (dh_writer_open(&r->writer, c->path, DH_TRACE_BINARY)) {
		fprintf(stderr, "deadheat: record: %s\n", dh_writer_error(r->writer));
		return false;
	}
	r->drain = dh_drain_new(c->all ? DH_RING_ALL : 0, take, r);
	if (!r->drain) {
		fputs("deadheat: record: no memory to share with the program\n", stderr);
		return false;
	}
	return true;
}

struct dh_recording *dh_recording_new(const struct dh_recording_config *config)
{
	struct dh_recording *r = dh_mem_alloc(sizeof *r);
	r->config = *config;
	r->spool.fd = -1;
	dh_survey_init(&r->survey);
	r->survey.all = config->all;
	bool good = start(r);
	dh_scribe_init(&r->scribe, &r->survey, r->writer);
	r->scribe.mute = config->last != 0;
	if (good)
		return r;
	dh_recording_free(r);
	return NULL;
}

void dh_recording_free(struct dh_recording *r)
{
	if (!r)
		return;
	dh_drain_free(r->drain);
	dh_scribe_free(&r->scribe);
	dh_survey_free(&r->survey);
	dh_spool_close(&r->spool);
	dh_writer_close(r->writer);
	dh_mem_free(r, sizeof *r);
}

const char *dh_recording_path(const struct dh_recording *r)
{
	return dh_drain_path(r->drain);
}

/* ---- while it runs ---- */

/* Of a recording of the end only: what is too long ago. */
static void let_go(struct dh_recording *r, uint64_t keep)
{
	const struct dh_raw *raw;
	while (r->spool.written - r->spool.read > keep &&
	       (raw = dh_spool_next(&r->spool)))
		dh_scribe_take(&r->scribe, raw);
	dh_spool_forget(&r->spool);
}

bool dh_recording_some(struct dh_recording *r)
{
	enum { SLACK = 1 << 16 };
	const struct dh_recording_config *c = &r->config;
	bool some = dh_drain_some(r->drain) != 0;
	uint64_t kept = r->spool.written - r->spool.read;
	if (c->last && kept > c->last + DH_MAX(c->last / 8, (uint64_t)SLACK))
		let_go(r, c->last);
	if (c->max_size && !r->cut && kept * sizeof(struct dh_raw) > c->max_size) {
		r->cut = true;
		dh_drain_stop(r->drain);
	}
	return some;
}

/* ---- the end ---- */

static int write_trace(struct dh_recording *r)
{
	const struct dh_raw *raw;
	dh_survey_finish(&r->survey);
	if (r->config.last)
		let_go(r, r->config.last);
	dh_scribe_speak(&r->scribe);
	while (!r->scribe.status && (raw = dh_spool_next(&r->spool)))
		dh_scribe_take(&r->scribe, raw);
	if (r->spool.status)
		return r->spool.status;
	return r->scribe.status ? r->scribe.status : dh_writer_finish(r->writer);
}

int dh_recording_finish(struct dh_recording *r, struct dh_recording_summary *out)
{
	const struct dh_ring *ring = dh_drain_ring(r->drain);
	dh_drain_rest(r->drain);
	int status = write_trace(r);
	if (status) {
		const char *what = dh_writer_error(r->writer);
		if (what)
			fprintf(stderr, "deadheat: record: %s\n", what);
		else
			complain("its temporary file", status);
	}
	*out = (struct dh_recording_summary){
	    .records = r->survey.records,
	    .events = r->scribe.events,
	    .threads = dh_names_count(r->scribe.names, DH_NAME_THREAD),
	    .lost = ring->lost,
	    .mended = r->scribe.mended,
	    .turned_away = ring->turned_away + ring->forked,
	    .attached = ring->owner != 0,
	    .cut = r->cut,
	};
	return status;
}
