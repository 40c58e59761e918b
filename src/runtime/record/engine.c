/* SPDX-License-Identifier: MIT */
/*
 * The engine `record`: writes down what the program does, for `deadheat record`. Accesses
 * are in recorder.c; here are synchronisation, the heap, modules, calls of functions that
 * are not seen, and how it begins and ends.
 */
#include "base/kernel.h"
#include "runtime/missing/reach.h"
#include "runtime/modules.h"
#include "runtime/observer.h"
#include "runtime/record/recorder.h"
#include "runtime/report.h"
#include "runtime/text.h"

static struct dh_lock nobody_lock;
static struct dh_stream nobody = {.thread = DH_RING_NOBODY}; /* under the lock */
static uint32_t modules_told;				     /* under the lock */

/* ---- modules ---- */

static void put_word(struct dh_text *to, uint64_t word)
{
	dh_text_bytes(to, (const char *)&word, sizeof word);
}

static void tell_module(const struct dh_module *m)
{
	struct dh_text payload = {0};
	put_word(&payload, dh_text_length(m->path));
	dh_text_bytes(&payload, m->path, dh_text_length(m->path));
	put_word(&payload, m->segments.len);
	for (size_t i = 0; i < m->segments.len; i++) {
		put_word(&payload, m->segments.at[i].start);
		put_word(&payload, m->segments.at[i].end);
		put_word(&payload, m->segments.at[i].offset);
		put_word(&payload, m->segments.at[i].executable);
	}
	dh_stream_bytes(&nobody, dh_raw_head(DH_RAW_MODULE, 0, 0), m->number, payload.at,
			payload.len);
	dh_vec_free(&payload);
}

static DH_COLD void tell_modules(void)
{
	dh_lock(&nobody_lock);
	for (; modules_told < dh_modules_count(); modules_told++)
		tell_module(dh_modules_at(modules_told));
	dh_unlock(&nobody_lock);
}

DH_INLINE void look_at_modules(void)
{
	if (DH_UNLIKELY(dh_modules_count() !=
			__atomic_load_n(&modules_told, __ATOMIC_RELAXED)))
		tell_modules();
}

/* ---- synchronisation ---- */

/* The stream for something that is no access. */
static struct dh_stream *stream_of(struct dh_self *t)
{
	struct dh_recorder *k = dh_recorder_of(t);
	dh_recorder_touch(k);
	return &k->stream;
}

static void put(struct dh_self *t, uint64_t head, uint64_t object)
{
	struct dh_stream *s = stream_of(t);
	look_at_modules();
	dh_stream_step(s, head, object);
}

/* What follows is not the same as what went before. */
static void end_frame(struct dh_self *t)
{
	if (t->dirty) {
		dh_thread_tick_slow(t);
		t->dirty |= DH_DIRTY_NEWS;
	}
}

static void end_thread(struct dh_self *t)
{
	struct dh_recorder *k = dh_recorder_of(t);
	const char *name = t->state->info->name;
	if (*name)
		dh_stream_bytes(&k->stream, dh_raw_head(DH_RAW_NAME, 0, 0), 0, name,
				dh_text_length(name));
	dh_stream_close(&k->stream);
	t->state->observed = NULL;
	dh_recorder_free(k);
}

static bool acquires(enum dh_observed what)
{
	return what == DH_SEEN_LOCK || what == DH_SEEN_READ_LOCK ||
	       what == DH_SEEN_RECEIVE || what == DH_SEEN_BARRIER_LEAVE;
}

static bool brings_company(enum dh_observed what, uintptr_t object)
{
	return what == DH_SEEN_FORK || (what == DH_SEEN_START && object != 0);
}

/* The use of a lock's own memory counts as made while it is held. */
static void sync(struct dh_self *t, enum dh_observed what, uintptr_t object, uint64_t pc)
{
	if (!dh_ring_open() && what != DH_SEEN_END)
		return;
	struct dh_recorder *k = dh_recorder_of(t);
	struct dh_touch touch = k->touch;
	if (DH_UNLIKELY(brings_company(what, object)) &&
	    dh_recorder_is(DH_RECORDER_SILENT))
		__atomic_store_n(&dh_recorder_mode, DH_RECORDER_FIRST, __ATOMIC_RELAXED);
	if (acquires(what))
		k->touch.size = 0;
	put(t, dh_raw_head(DH_RAW_SYNC, what, pc), object);
	if (acquires(what))
		k->touch = touch;
	dh_recorder_touch(k);
	end_frame(t);
	if (what == DH_SEEN_END)
		end_thread(t);
}

static void atomic(struct dh_self *t, enum dh_observed_atomic what, uintptr_t addr,
		   unsigned size, int order, uint64_t pc)
{
	(void)order;
	if (!dh_ring_open())
		return;
	/* Whether a compare-exchange writes is told with the access. */
	struct dh_recorder *k = dh_recorder_of(t);
	bool same = k->touch.size && k->touch.addr == addr;
	bool writes = what == DH_ATOMIC_STORING ||
		      (what == DH_ATOMIC_MODIFYING && same && k->touch.write);
	if (same)
		k->touch.size = 0;
	if (dh_recorder_is(DH_RECORDER_SILENT))
		return;
	put(t,
	    dh_raw_head(DH_RAW_ATOMIC,
			size | (unsigned)what << DH_RAW_ATOMIC_SHIFT |
			    (writes ? DH_RAW_ATOMIC_WRITES : 0),
			pc),
	    addr);
	if (what != DH_ATOMIC_MODIFYING) /* the rest of it follows at once */
		end_frame(t);
}

/* ---- calls of functions that are not seen ---- */

static void put_reach(struct dh_stream *s, const struct dh_reach *reach)
{
	_Static_assert(sizeof(struct dh_reached) == sizeof(struct dh_raw), "payload");
	for (size_t at = 0; at < reach->len;) {
		size_t n = DH_MIN(reach->len - at, (size_t)DH_RING_PAYLOAD_MAX);
		dh_stream_bytes(s, dh_raw_head(DH_RAW_REACH, 0, 0), 0, reach->at + at,
				n * sizeof *reach->at);
		at += n;
	}
}

/* What such a function may use, when it begins and when it ends, is as if it was fresh:
 * so whoever touches it next is recorded, and comes after that. And what the thread
 * itself does is no repeat of what it did before. */
static void put_unseen(struct dh_self *t, const struct dh_reach *reach)
{
	__atomic_store_n(&dh_recorder_fresh, dh_recorder_of(t)->stream.ticket,
			 __ATOMIC_RELAXED);
	__atomic_fetch_add(&dh_recorder_unseen, reach->len != 0, __ATOMIC_SEQ_CST);
	for (size_t i = 0; i < reach->len; i++)
		dh_shadow_wipe(reach->at[i].start, reach->at[i].size);
	end_frame(t);
}

static void call(struct dh_self *t, const char *name, uint64_t pc,
		 const struct dh_reach *reach)
{
	if (!dh_ring_open())
		return;
	struct dh_stream *s = stream_of(t);
	look_at_modules();
	put_reach(s, reach);
	dh_stream_bytes(s, dh_raw_head(DH_RAW_CALL, 0, pc), 0, name,
			DH_MIN(dh_text_length(name), (size_t)DH_RING_PAYLOAD_MAX));
	put_unseen(t, reach);
}

static void come_back(struct dh_self *t, const char *name, uint64_t pc,
		      const struct dh_reach *reach)
{
	(void)name;
	if (!dh_ring_open())
		return;
	put(t, dh_raw_head(DH_RAW_RETURN, 0, pc), 0);
	put_unseen(t, reach);
}

/* ---- memory ---- */

static void put_fresh(struct dh_stream *s, enum dh_raw_kind kind, uintptr_t addr,
		      size_t size)
{
	dh_shadow_wipe(addr, size);
	dh_stream_valued(s, dh_raw_head(kind, 0, 0), addr, size, DH_STREAM_STEP);
	__atomic_store_n(&dh_recorder_fresh, s->ticket, __ATOMIC_RELAXED);
}

static void alloc(struct dh_self *t, uintptr_t base, size_t size, uint32_t site)
{
	(void)site;
	if (dh_ring_open())
		put_fresh(stream_of(t), DH_RAW_ALLOC, base, size);
}

static void release(struct dh_self *t, uintptr_t base, size_t size, uint32_t site,
		    uint64_t pc)
{
	(void)site;
	if (dh_ring_open())
		dh_stream_valued(stream_of(t), dh_raw_head(DH_RAW_FREE, 0, pc), base,
				 size, DH_STREAM_OWN);
}

static void fresh(uintptr_t addr, size_t size)
{
	struct dh_self *t = dh_thread_self();
	if (!dh_ring_open())
		return;
	if (t->state) {
		put_fresh(stream_of(t), DH_RAW_FRESH, addr, size);
		return;
	}
	dh_lock(&nobody_lock);
	put_fresh(&nobody, DH_RAW_FRESH, addr, size);
	dh_unlock(&nobody_lock);
}

/* ---- start and end ---- */

static void start(struct dh_self *t)
{
	(void)t;
	if (dh_ring_attach() && (dh_ring->filter & DH_RING_ALL))
		dh_recorder_mode = DH_RECORDER_ALL;
}

static void forked(struct dh_self *t)
{
	dh_ring_detach();
	nobody_lock = (struct dh_lock){0};
	if (t->state->observed)
		dh_mem_free(t->state->observed, sizeof(struct dh_recorder));
	t->state->observed = NULL;
}

static void finish(void)
{
	if (!dh_ring_open())
		return;
	dh_modules_scan();
	tell_modules();
}

static size_t counters(struct dh_report_counter *room, size_t max)
{
	if (!max || !dh_ring)
		return 0;
	*room = (struct dh_report_counter){
	    "records_lost", __atomic_load_n(&dh_ring->lost, __ATOMIC_RELAXED), true};
	return 1;
}

const struct dh_observer dh_observer_record = {
    .name = "record",
    .start = start,
    .access = dh_recorder_access,
    .first = dh_recorder_first,
    .sync = sync,
    .atomic = atomic,
    .alloc = alloc,
    .free = release,
    .missing_begin = call,
    .missing_end = come_back,
    .fresh = fresh,
    .forked = forked,
    .finish = finish,
    .counters = counters,
};
