/* SPDX-License-Identifier: MIT */
/* See stream.h. Free chunks are a stack that threads take from and the reader gives back
 * to; its head counts the changes, so that a chunk that came back meanwhile is no
 * trouble. */
#include "runtime/record/stream.h"
#include "base/kernel.h"
#include "base/sys.h"
#include "runtime/environment.h"

#include <linux/fcntl.h>
#include <linux/mman.h>

struct dh_ring *dh_ring;

/* ---- the memory ---- */

enum { READ_WRITE = PROT_READ | PROT_WRITE };

static struct dh_ring *map(const char *path)
{
	long fd = DH_KERNEL_4(__NR_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
	if (fd < 0)
		return NULL;
	long at = DH_KERNEL_6(__NR_mmap, 0, DH_RING_SIZE, READ_WRITE, MAP_SHARED, fd, 0);
	DH_KERNEL_1(__NR_close, fd);
	return at < 0 && at > -4096 ? NULL : (struct dh_ring *)at;
}

static uint32_t process(void)
{
	return (uint32_t)DH_KERNEL_0(__NR_getpid);
}

/* This process is not recorded. */
static void tell_of_self(struct dh_ring *r, uint32_t how)
{
	uint32_t n = __atomic_fetch_add(&r->others, 1, __ATOMIC_RELAXED);
	if (n < DH_RING_OTHERS)
		__atomic_store_n(&r->other[n], process() | how, __ATOMIC_RELAXED);
}

bool dh_ring_attach(void)
{
	const char *path = dh_environment_get(DH_RING_VARIABLE);
	struct dh_ring *r = path ? map(path) : NULL;
	uint32_t nobody = 0;
	if (!r)
		return false;
	if (r->magic != DH_RING_MAGIC || r->version != DH_RING_VERSION ||
	    !__atomic_compare_exchange_n(&r->owner, &nobody, process(), false,
					 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
		tell_of_self(r, 0);
		dh_sys_unmap(r, DH_RING_SIZE);
		return false;
	}
	__atomic_store_n(&dh_ring, r, __ATOMIC_RELEASE);
	return true;
}

void dh_ring_detach(void)
{
	if (dh_ring)
		tell_of_self(dh_ring, DH_RING_FORKED);
	__atomic_store_n(&dh_ring, NULL, __ATOMIC_RELAXED);
}

/* ---- chunks ---- */

static struct dh_chunk *chunk_at(uint32_t number)
{
	return &dh_ring->chunks[number - 1];
}

static uint32_t take_fresh(void)
{
	uint32_t n = __atomic_load_n(&dh_ring->fresh, __ATOMIC_RELAXED);
	while (n < DH_RING_CHUNKS)
		if (__atomic_compare_exchange_n(&dh_ring->fresh, &n, n + 1, true,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return n + 1;
	return 0;
}

/* 1 + a free chunk; 0 where there is none. */
static uint32_t take(void)
{
	uint64_t first = __atomic_load_n(&dh_ring->free, __ATOMIC_ACQUIRE), rest;
	do {
		uint32_t number = (uint32_t)first;
		if (!number)
			return take_fresh();
		uint32_t next =
		    __atomic_load_n(&chunk_at(number)->next, __ATOMIC_RELAXED);
		rest = ((first >> 32) + 1) << 32 | next;
	} while (!__atomic_compare_exchange_n(&dh_ring->free, &first, rest, true,
					      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	return (uint32_t)first;
}

/* A free chunk, as soon as there is one. 0 where the reader is gone. */
static uint32_t wait_for_chunk(void)
{
	enum { NAP = 100 * 1000, PATIENCE = 100 * 1000 /* naps without a beat */ };
	uint32_t beat = __atomic_load_n(&dh_ring->beat, __ATOMIC_RELAXED), number = 0;
	for (uint32_t naps = 0; naps < PATIENCE && dh_ring_open(); naps++) {
		number = take();
		if (number)
			return number;
		uint32_t now = __atomic_load_n(&dh_ring->beat, __ATOMIC_RELAXED);
		if (now != beat)
			naps = 0;
		beat = now;
		dh_sys_nap(NAP);
	}
	__atomic_store_n(&dh_ring->over, 1, __ATOMIC_RELAXED);
	return 0;
}

static void announce(struct dh_chunk *c, uint32_t number)
{
	uint32_t before = __atomic_load_n(&dh_ring->streams, __ATOMIC_RELAXED);
	do
		c->newer = before;
	while (!__atomic_compare_exchange_n(&dh_ring->streams, &before, number, true,
					    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
}

DH_COLD bool dh_stream_more(struct dh_stream *s, size_t records)
{
	if (!dh_ring_open() || records > DH_RING_RECORDS)
		return false;
	uint32_t number = take();
	if (!number)
		number = wait_for_chunk();
	if (!number) {
		__atomic_fetch_add(&dh_ring->lost, 1, __ATOMIC_RELAXED);
		return false;
	}
	struct dh_chunk *c = chunk_at(number), *old = s->chunk;
	c->written = 0;
	c->closed = c->next = 0;
	c->thread = s->thread;
	s->chunk = c;
	s->at = c->at;
	s->end = c->at + DH_RING_RECORDS;
	s->written -= (uint32_t)s->written;
	if (old)
		__atomic_store_n(&old->next, number, __ATOMIC_RELEASE);
	else
		announce(c, number);
	return true;
}

void dh_stream_close(struct dh_stream *s)
{
	if (s->chunk && dh_ring_open())
		__atomic_store_n(&s->chunk->closed, 1, __ATOMIC_RELEASE);
	s->chunk = NULL;
	s->at = s->end = NULL;
}

/* ---- longer records ---- */

void dh_stream_valued(struct dh_stream *s, uint64_t head, uint64_t object, uint64_t value,
		      enum dh_stream_order order)
{
	if (!dh_stream_begin(s, 2, &order))
		return;
	dh_stream_write_run(s);
	dh_stream_add(s, head, object);
	dh_stream_add(s, 0, value);
	dh_stream_publish(s);
	dh_stream_end(s, order);
}

void dh_stream_bytes(struct dh_stream *s, uint64_t head, uint64_t object,
		     const void *bytes, size_t n)
{
	size_t records = (n + sizeof(struct dh_raw) - 1) / sizeof(struct dh_raw);
	if (records > DH_RING_PAYLOAD_MAX || !dh_stream_room(s, 3 + records))
		return;
	dh_stream_ticket(s);
	dh_stream_add(s, head, object);
	dh_stream_add(s, records, n);
	dh_copy(s->at, bytes, n);
	s->at += records;
	s->written += records;
	dh_stream_publish(s);
}
