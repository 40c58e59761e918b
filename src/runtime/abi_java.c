/* SPDX-License-Identifier: MIT */
/*
 * ThreadSanitizer's interface for virtual machines with a heap of their own, whose blocks
 * they move while no thread of theirs runs. It has Java's name; any may use it.
 *
 * Blocks are noted by where they begin, so that the machine can ask what there is in a part
 * of its heap. Moved memory starts a new life at its new place. Locks and what else orders
 * threads go with it: what was done under them elsewhere stays ordered.
 */
#include "base/map.h"
#include "runtime/abi.h"
#include "runtime/annotate.h"
#include "runtime/findings.h"
#include "runtime/flags.h"
#include "runtime/inside.h"
#include "runtime/intercept/watch.h"
#include "runtime/report.h"

enum { STEP = 8 }; /* blocks begin at multiples of it */

static struct dh_lock lock;
DH_LOCK_AROUND_FORK(lock, DH_FORK_OUTER);
static struct dh_map blocks; /* start -> size; under lock */

static void forget_blocks(uintptr_t from, uintptr_t size)
{
	struct dh_self *t = dh_lock_inside(&lock);
	for (uintptr_t at = from; at < from + size; at += STEP)
		dh_map_remove(&blocks, at);
	dh_unlock_inside(&lock, t);
}

/* The two may overlap. */
static void move_blocks(uintptr_t from, uintptr_t to, uintptr_t size)
{
	const bool up = to > from;
	struct dh_self *t = dh_lock_inside(&lock);
	for (uintptr_t i = 0; i < size; i += STEP) {
		uintptr_t at = up ? (size - 1 - i) / STEP * STEP : i;
		const uint64_t *found = dh_map_get(&blocks, from + at);
		uint64_t bytes = found ? *found : 0;
		dh_map_remove(&blocks, to + at);
		if (dh_map_remove(&blocks, from + at))
			*dh_map_put(&blocks, to + at, NULL) = bytes;
	}
	dh_unlock_inside(&lock, t);
}

DH_EXPORT void __tsan_java_init(uintptr_t heap, uintptr_t size);
void __tsan_java_init(uintptr_t heap, uintptr_t size)
{
	dh_annotate_new_memory(heap, size);
}

/* What the process would end with now. It goes on to be watched. */
DH_EXPORT int __tsan_java_fini(void);
int __tsan_java_fini(void)
{
	uint64_t standing = dh_findings_distinct();
	dh_report_flush(&standing);
	return standing ? (int)dh_flags.exit_code : 0;
}

DH_EXPORT void __tsan_java_alloc(uintptr_t block, uintptr_t size);
void __tsan_java_alloc(uintptr_t block, uintptr_t size)
{
	dh_annotate_new_memory(block, size);
	struct dh_self *t = dh_lock_inside(&lock);
	*dh_map_put(&blocks, block, NULL) = size;
	dh_unlock_inside(&lock, t);
}

DH_EXPORT void __tsan_java_free(uintptr_t from, uintptr_t size);
void __tsan_java_free(uintptr_t from, uintptr_t size)
{
	forget_blocks(from, size);
	dh_annotate_new_memory(from, size);
}

DH_EXPORT void __tsan_java_move(uintptr_t from, uintptr_t to, uintptr_t size);
void __tsan_java_move(uintptr_t from, uintptr_t to, uintptr_t size)
{
	if (from == to || !size)
		return;
	move_blocks(from, to, size);
	dh_annotate_moved(from, to, size);
}

/* The first block that begins in [*from, to): *from gets where, the result is its size. */
DH_EXPORT uintptr_t __tsan_java_find(uintptr_t *from, uintptr_t to);
uintptr_t __tsan_java_find(uintptr_t *from, uintptr_t to)
{
	uintptr_t size = 0;
	struct dh_self *t = dh_lock_inside(&lock);
	for (uintptr_t at = *from; !size && at < to; at += STEP) {
		const uint64_t *found = dh_map_get(&blocks, at);
		if (found) {
			*from = at;
			size = *found;
		}
	}
	dh_unlock_inside(&lock, t);
	return size;
}

/* An object that nobody reaches any more is finalised by this thread. */
DH_EXPORT void __tsan_java_finalize(void);
void __tsan_java_finalize(void)
{
	struct dh_self *t = dh_watched();
	if (t)
		dh_thread_know_all(t);
}

/* ---- locks ---- */

#define LOCK(name, mode)                                                                 \
	DH_EXPORT void __tsan_java_mutex_##name##lock(uintptr_t m);                      \
	void __tsan_java_mutex_##name##lock(uintptr_t m)                                 \
	{                                                                                \
		dh_annotate_locked(m, mode, 1, DH_CALLER());                             \
	}                                                                                \
	DH_EXPORT void __tsan_java_mutex_##name##unlock(uintptr_t m);                    \
	void __tsan_java_mutex_##name##unlock(uintptr_t m)                               \
	{                                                                                \
		dh_annotate_unlocking(m, mode);                                          \
	}

LOCK(, DH_LOCK_WRITE)
LOCK(read_, DH_LOCK_READ)

/* Taken as often as unlock_rec() has said that it was. */
DH_EXPORT void __tsan_java_mutex_lock_rec(uintptr_t m, int times);
void __tsan_java_mutex_lock_rec(uintptr_t m, int times)
{
	dh_annotate_locked(m, DH_LOCK_WRITE, DH_MAX(times, 1), DH_CALLER());
}

DH_EXPORT int __tsan_java_mutex_unlock_rec(uintptr_t m);
int __tsan_java_mutex_unlock_rec(uintptr_t m)
{
	return dh_annotate_unlocking_all(m, DH_LOCK_WRITE);
}

/* ---- volatile variables ---- */

/* As annotations, which stay whatever is stored there: the machine's own store comes after
 * the release. One that replaces what earlier ones left would have to be one with it, too;
 * as it is, it adds. */
DH_EXPORT void __tsan_java_acquire(uintptr_t addr);
void __tsan_java_acquire(uintptr_t addr)
{
	dh_annotate_happens_after(addr);
}

DH_EXPORT void __tsan_java_release(uintptr_t addr);
void __tsan_java_release(uintptr_t addr)
{
	dh_annotate_happens_before(addr);
}

DH_EXPORT void __tsan_java_release_store(uintptr_t addr);
void __tsan_java_release_store(uintptr_t addr)
{
	dh_annotate_happens_before(addr);
}
