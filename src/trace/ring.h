/* SPDX-License-Identifier: MIT */
/*
 * How a recorded program hands over what it does: memory that it shares with `deadheat
 * record`, and the raw records in it. The engine `record` of the runtime writes
 * (runtime/record), the tool reads (record/drain.h); both are of one build.
 *
 * The memory is a head and chunks. A thread writes into a chunk of its own, and goes on
 * in the next one where it is full; `written` says how far. So what was written is there
 * for the reader at once, whatever becomes of the program. Of records that could be
 * foreseen (foresight.h) there is only the number.
 *
 * Tickets order the records of all threads. A ticket belongs to one thread and stands for
 * all records that follow it in the stream, up to the thread's next ticket. A thread
 * takes one for each step of synchronisation, and before an access that finds traces of
 * another thread's conflicting access. So records in the order of their tickets are in
 * an order in which they can have happened; records of two threads that this leaves open
 * have nothing to do with each other. Room for the record is made before the ticket is
 * taken, so no ticket is out for longer than it takes to write it down.
 *
 * A record is two words: kind, a byte, and a place in the code; and an argument. Some
 * have payload behind them, in whole records.
 */
#ifndef DH_TRACE_RING_H
#define DH_TRACE_RING_H

#include "base/base.h"

enum {
	DH_RING_VERSION = 2,
	DH_RING_CHUNKS = 4096,
	DH_RING_CHUNK_SIZE = 32 << 10,
	DH_RING_RECORDS = DH_RING_CHUNK_SIZE / 16 - 2, /* in a chunk */
	DH_RING_PAYLOAD_MAX = 1024,		       /* records behind one */
	DH_RING_OTHERS = 8,
};

/* The environment variable that names the memory, as a file, to the program. */
#define DH_RING_VARIABLE "DEADHEAT_RECORD"
#define DH_RING_MAGIC	 UINT64_C(0x676e69722d746864)

struct dh_raw {
	uint64_t head; /* see below */
	uint64_t object;
};

struct dh_chunk {
	uint32_t next;	  /* 0, or 1 + the thread's next chunk; atomic. In the list of
			     free chunks: the next free one */
	uint32_t thread;  /* whose it is: id, or DH_RING_NOBODY */
	uint64_t written; /* see dh_chunk_written; atomic */
	uint32_t closed;  /* nothing follows; atomic */
	uint32_t newer;	  /* in the list of new streams: 0, or 1 + the one before */
	uint32_t unused[2];
	struct dh_raw at[DH_RING_RECORDS];
};
_Static_assert(sizeof(struct dh_chunk) == DH_RING_CHUNK_SIZE, "chunks follow each other");

/* How much of a chunk is written: records, and how many came as foreseen (foresight.h)
 * after the last of them. Those are counted once more in the record that comes next,
 * which is a ticket or a run. One word, so that both are seen at once. */
DH_INLINE uint64_t dh_chunk_written(uint32_t records, uint32_t run)
{
	return (uint64_t)run << 32 | records;
}

#define DH_RING_NOBODY UINT32_MAX /* the stream of threads without a state */

#define DH_RING_FORKED (UINT32_C(1) << 31)

enum dh_ring_filter { DH_RING_ALL = 1 /* repeats too */ };

struct dh_ring {
	uint64_t magic;
	uint32_t version;
	uint32_t filter; /* enum dh_ring_filter */
	uint32_t owner;	 /* process id of the one that records; atomic */
	uint32_t others; /* processes that are not recorded; atomic */
	uint32_t over;	 /* nothing is read any more; atomic */
	uint32_t beat;	 /* changes while the reader lives; atomic */
	uint32_t lost;	 /* records that could not be handed over; atomic */
	uint32_t other[DH_RING_OTHERS]; /* the first of them: process id, with
					   DH_RING_FORKED for a child; atomic */
	uint64_t ticket __attribute__((aligned(DH_CACHE_LINE))); /* the next; atomic */
	uint64_t free __attribute__((aligned(DH_CACHE_LINE)));
	/* ^ atomic: count of changes << 32 | 1 + the first free chunk, or 0 */
	uint32_t fresh;	  /* atomic: chunks that were ever taken; the rest is free, too */
	uint32_t streams; /* atomic: 0, or 1 + the first chunk of the newest stream */
	struct dh_chunk chunks[] __attribute__((aligned(4096)));
};

enum { DH_RING_SIZE = sizeof(struct dh_ring) + DH_RING_CHUNKS * DH_RING_CHUNK_SIZE };

/* ---- records ---- */

enum dh_raw_kind {
	DH_RAW_NONE,
	DH_RAW_TICKET, /* object: the ticket; place: records before it that came as
			  foreseen */
	DH_RAW_THREAD, /* in files only: object: the thread of what follows */
	DH_RAW_READ,   /* byte: size, within one granule; object: address */
	DH_RAW_WRITE,
	DH_RAW_READ_RANGE, /* payload: size */
	DH_RAW_WRITE_RANGE,
	DH_RAW_SYNC,   /* byte: enum dh_observed (runtime/observer.h); object: as there */
	DH_RAW_ATOMIC, /* byte: see dh_raw_atomic; object: address */
	DH_RAW_TOUCH, /* likewise: an atomic access that orders nothing, such as that of a
			 lock to its own memory */
	DH_RAW_ALLOC, /* object: base; payload: size */
	DH_RAW_FREE,  /* likewise: a write; place 0: not to be judged */
	DH_RAW_FRESH, /* likewise */
	DH_RAW_MODULE, /* object: its number; payload: path, segments */
	DH_RAW_NAME,   /* of this thread; payload: text */
	DH_RAW_REACH,  /* a part of what the call that is told of next can reach; payload:
			  pairs of address and size */
	DH_RAW_CALL,   /* of a function whose inside is not seen; payload: its name */
	DH_RAW_SETTINGS, /* in files only: object: enum dh_ring_filter; payload: the
			    folder that the program was started in */
	DH_RAW_STAMP,  /* in files only: object: when the file of the module that is told
			  of next was changed last; payload: its size */
	DH_RAW_RETURN, /* from the innermost such call */
	DH_RAW_RUN,    /* object: how many records came as foreseen (foresight.h) */
};

enum { DH_RAW_BYTE_SHIFT = 8, DH_RAW_PLACE_SHIFT = 16 };

enum dh_raw_atomic {
	DH_RAW_ATOMIC_SIZE = 31,
	DH_RAW_ATOMIC_SHIFT = 5, /* enum dh_observed_atomic */
	DH_RAW_ATOMIC_WRITES = 128,
};

DH_INLINE uint64_t dh_raw_head(enum dh_raw_kind kind, unsigned byte, uint64_t place)
{
	return place << DH_RAW_PLACE_SHIFT |
	       (uint64_t)(uint8_t)byte << DH_RAW_BYTE_SHIFT | kind;
}

DH_INLINE enum dh_raw_kind dh_raw_kind(const struct dh_raw *r)
{
	return (enum dh_raw_kind)(r->head & 255);
}

DH_INLINE unsigned dh_raw_byte(const struct dh_raw *r)
{
	return (unsigned)(r->head >> DH_RAW_BYTE_SHIFT) & 255;
}

DH_INLINE uint64_t dh_raw_place(const struct dh_raw *r)
{
	return r->head >> DH_RAW_PLACE_SHIFT;
}

/* The payload of a record of such a kind begins with a record whose head is the number of
 * further records, and whose object is the size in bytes or, where there are none, the
 * value itself. */
DH_INLINE bool dh_raw_has_payload(enum dh_raw_kind kind)
{
	return kind == DH_RAW_READ_RANGE || kind == DH_RAW_WRITE_RANGE ||
	       (kind >= DH_RAW_ALLOC && kind <= DH_RAW_STAMP);
}

/* How many records it takes, itself included; next is the one behind it. */
DH_INLINE size_t dh_raw_length(const struct dh_raw *r)
{
	return dh_raw_has_payload(dh_raw_kind(r)) ? 2 + (size_t)r[1].head : 1;
}

#endif
