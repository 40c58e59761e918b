/* SPDX-License-Identifier: MIT */
/*
 * A filter stands between the stream and the engines and decides which accesses
 * they see. Synchronisation always passes. A filter may hold an access back and
 * forward it later (dh_stream_forward); it must then do so before the thread's
 * order or any other thing that the engines would judge it by has changed.
 */
#ifndef DH_EVENT_FILTER_H
#define DH_EVENT_FILTER_H

#include "event/engine.h"

struct dh_filter;

struct dh_filter_ops {
	const char *name;
	const char *summary;
	const char *guarantees;
	const char *misses;
	unsigned needs; /* DH_NEEDS_* */
	size_t size;    /* of its struct, which begins with struct dh_filter */
	const struct dh_counter *counters;

	void (*init)(struct dh_filter *f);
	void (*fini)(struct dh_filter *f);
	/* True lets the access through to the engines now. */
	bool (*access)(struct dh_filter *f, struct dh_thread *t, const struct dh_access *a);
	/* Before order and locksets change for this event. Every operation but reads
	 * and writes comes here, alloc too. */
	void (*before)(struct dh_filter *f, struct dh_thread *t, const struct dh_event *ev);
	/* Forwards what is held back of this variable. NULL where nothing ever is. */
	void (*settle)(struct dh_filter *f, uint32_t var);
};

struct dh_filter {
	const struct dh_filter_ops *ops;
	struct dh_stream *stream;
	uint64_t seen;    /* accesses that came */
	uint64_t dropped; /* accesses that were not forwarded (so far) */
	uint32_t limit;   /* histories kept at most; 0 is the filter's default */
};

#endif
