/* SPDX-License-Identifier: MIT */
/*
 * The way of raw records from the threads of a recorded program to `deadheat record`, by
 * the memory that they share (trace/ring.h).
 *
 * Context: the thread is `inside`; each thread writes its own stream, and the one for
 * nobody is under a lock. Where the reader is slow, writing waits for it; where it is
 * gone, recording ends and everything here does nothing. Allocates.
 */
#ifndef DH_RUNTIME_RECORD_STREAM_H
#define DH_RUNTIME_RECORD_STREAM_H

#include "runtime/thread.h"
#include "trace/foresight.h"

struct dh_stream {
	struct dh_raw *at, *end; /* where to write, in the chunk */
	struct dh_chunk *chunk;	 /* NULL: none yet */
	uint32_t thread;
	uint64_t written; /* of the chunk, as dh_chunk_written() has it: records, and how
			     many came as foreseen and are in no record yet */
	uint64_t ticket;  /* the last */
	struct dh_foresight foresight;
};

#define DH_STREAM_RUN	  ((uint64_t)1 << 32) /* one more as foreseen, in `written` */
#define DH_STREAM_RUN_MAX ((uint64_t)1 << 62) /* and as many as there may be */

/* The shared memory; NULL where nothing is recorded. atomic */
extern struct dh_ring *dh_ring;

/* At start-up: maps the memory that the environment names. False, with a message where
 * there is a reason to, if nothing is to be recorded. */
bool dh_ring_attach(void);

/* In the child of a fork: the memory is the parent's, and is told that there is a child.
 */
void dh_ring_detach(void);

/* Is the recording still going on? */
DH_INLINE bool dh_ring_open(void)
{
	const struct dh_ring *r = __atomic_load_n(&dh_ring, __ATOMIC_RELAXED);
	return r && DH_LIKELY(!__atomic_load_n(&r->over, __ATOMIC_RELAXED));
}

/* Makes sure that so many records fit. False where recording has ended. */
bool dh_stream_more(struct dh_stream *s, size_t records);

DH_INLINE bool dh_stream_room(struct dh_stream *s, size_t records)
{
	return DH_LIKELY((size_t)(s->end - s->at) >= records) ||
	       dh_stream_more(s, records);
}

/* Adds one, for which there is room. The reader sees it once it is published. */
DH_INLINE void dh_stream_add(struct dh_stream *s, uint64_t head, uint64_t object)
{
	*s->at++ = (struct dh_raw){head, object};
	s->written++;
}

/* How many came as foreseen; their number goes into the record that is added next. */
DH_INLINE uint32_t dh_stream_end_run(struct dh_stream *s)
{
	uint32_t run = (uint32_t)(s->written / DH_STREAM_RUN);
	s->written %= DH_STREAM_RUN;
	return run;
}

DH_INLINE void dh_stream_publish(struct dh_stream *s)
{
	__atomic_store_n(&s->chunk->written, s->written, __ATOMIC_RELEASE);
}

/* A ticket for what is added next; there is room. */
DH_INLINE void dh_stream_ticket(struct dh_stream *s)
{
	s->ticket = __atomic_fetch_add(&dh_ring->ticket, 1, __ATOMIC_SEQ_CST);
	dh_stream_add(s, dh_raw_head(DH_RAW_TICKET, 0, dh_stream_end_run(s)), s->ticket);
}

/* Where a ticket is due even if nothing else asks for one: a chunk begins with one. */
DH_INLINE bool dh_stream_due(const struct dh_stream *s)
{
	return s->at == s->chunk->at || s->written >= DH_STREAM_RUN_MAX;
}

DH_INLINE void dh_stream_write_run(struct dh_stream *s)
{
	if (s->written >= DH_STREAM_RUN) {
		uint64_t run = dh_stream_end_run(s);
		dh_stream_add(s, dh_raw_head(DH_RAW_RUN, 0, 0), run);
	}
}

/* Adds and publishes a record without payload, which was not foreseen; there is room for
 * two. */
DH_INLINE void dh_stream_learn(struct dh_stream *s, uint64_t head, uint64_t object)
{
	dh_stream_write_run(s);
	dh_foresight_learn(&s->foresight, head, object);
	dh_stream_add(s, head, object);
	dh_stream_publish(s);
}

/* The same for one that may have been foreseen by the thread's last ticket, where that is
 * as good as a new one. False, and nothing is done, where it was not. Without a chunk
 * nothing is foreseen: what is to come next is learned from what was added. */
DH_INLINE bool dh_stream_foreseen(struct dh_stream *s, uint64_t head, uint64_t object)
{
	if (DH_UNLIKELY(s->written >= DH_STREAM_RUN_MAX) ||
	    !dh_foresight_met(&s->foresight, head, object))
		return false;
	s->written += DH_STREAM_RUN;
	dh_stream_publish(s);
	return true;
}

/* Adds and publishes it, or counts it; there is room for two. */
DH_INLINE void dh_stream_put(struct dh_stream *s, uint64_t head, uint64_t object)
{
	if (!dh_stream_foreseen(s, head, object))
		dh_stream_learn(s, head, object);
}

/* ---- steps ---- */

/* How what is added gets its place in the order: by a ticket of its own; by any, so that
 * the last one will do; or as a step of synchronisation. A step makes do with the
 * thread's last ticket where nobody has taken one since: then all steps of others so far
 * have lesser ones. Whether that is so is asked again when it is published. If it is no
 * longer, a thread may have a greater ticket already that makes its next step, which may
 * come after this one, by it. A ticket that is taken now, before the program goes on,
 * keeps it from that. (There is no fence between publishing and asking: the reader would
 * have to go around twice before a store is seen that the processor has in hand.) */
enum dh_stream_order { DH_STREAM_OWN, DH_STREAM_ANY, DH_STREAM_STEP };

DH_INLINE bool dh_stream_is_last(const struct dh_stream *s)
{
	return __atomic_load_n(&dh_ring->ticket, __ATOMIC_RELAXED) == s->ticket + 1;
}

/* Makes room for so many records and what it takes to order them, and the ticket where
 * there has to be one. False where recording has ended. */
DH_INLINE bool dh_stream_begin(struct dh_stream *s, size_t records,
			       enum dh_stream_order *order)
{
	enum { MOST = 3 }; /* ticket, run, ticket */
	if (!dh_stream_room(s, records + MOST))
		return false;
	if (dh_stream_due(s) || (*order == DH_STREAM_STEP && !dh_stream_is_last(s)))
		*order = DH_STREAM_OWN;
	if (*order == DH_STREAM_OWN)
		dh_stream_ticket(s);
	return true;
}

/* After it was published. */
DH_INLINE void dh_stream_end(struct dh_stream *s, enum dh_stream_order order)
{
	if (order == DH_STREAM_STEP && DH_UNLIKELY(!dh_stream_is_last(s))) {
		dh_stream_ticket(s);
		dh_stream_publish(s);
	}
}

/* A record without payload, as a step. */
DH_INLINE void dh_stream_step(struct dh_stream *s, uint64_t head, uint64_t object)
{
	enum dh_stream_order order = DH_STREAM_STEP;
	if (!dh_stream_begin(s, 1, &order))
		return;
	dh_stream_put(s, head, object);
	dh_stream_end(s, order);
}

/* A record with a size or other value behind it. */
void dh_stream_valued(struct dh_stream *s, uint64_t head, uint64_t object, uint64_t value,
		      enum dh_stream_order order);

/* A record with bytes behind it, by its own ticket. Left out where there are too many. */
void dh_stream_bytes(struct dh_stream *s, uint64_t head, uint64_t object,
		     const void *bytes, size_t n);

/* Nothing follows. */
void dh_stream_close(struct dh_stream *s);

#endif
