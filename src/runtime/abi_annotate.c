/* SPDX-License-Identifier: MIT */
/*
 * Annotations under the names that programs know them by: ThreadSanitizer's, the older
 * dynamic annotations (Annotate*, which carry the caller's file and line), and our own
 * (deadheat_*, through include/deadheat.h). What they mean is in annotate.h.
 *
 * Some of the old ones tell things that need no telling here, or that no tool has ever
 * acted upon; they are there so that programs link, and do nothing.
 */
#define DEADHEAT_WEAK DH_EXPORT
#include <stdarg.h>
#include "runtime/abi.h"
#include "deadheat.h"
#include "runtime/access.h"
#include "runtime/annotate.h"
#include "runtime/missing/missing.h"
#include "runtime/observer.h"
#include "runtime/text.h"

/* ---- ThreadSanitizer's ---- */

DH_EXPORT void __tsan_acquire(void *addr);
void __tsan_acquire(void *addr)
{
	dh_annotate_happens_after((uintptr_t)addr);
}

DH_EXPORT void __tsan_release(void *addr);
void __tsan_release(void *addr)
{
	dh_annotate_happens_before((uintptr_t)addr);
}

DH_EXPORT void __tsan_ignore_thread_begin(void);
void __tsan_ignore_thread_begin(void)
{
	dh_annotate_ignore_begin();
}

DH_EXPORT void __tsan_ignore_thread_end(void);
void __tsan_ignore_thread_end(void)
{
	dh_annotate_ignore_end();
}

/* ---- dynamic annotations ---- */

#define ANNOTATION(name, ...)                                                            \
	DH_EXPORT void name(const char *file, int line, ##__VA_ARGS__);                  \
	void name(const char *file DH_UNUSED, int line DH_UNUSED, ##__VA_ARGS__)

ANNOTATION(AnnotateHappensBefore, void *addr)
{
	dh_annotate_happens_before((uintptr_t)addr);
}

ANNOTATION(AnnotateHappensAfter, void *addr)
{
	dh_annotate_happens_after((uintptr_t)addr);
}

ANNOTATION(WTFAnnotateHappensBefore, void *addr)
{
	dh_annotate_happens_before((uintptr_t)addr);
}

ANNOTATION(WTFAnnotateHappensAfter, void *addr)
{
	dh_annotate_happens_after((uintptr_t)addr);
}

/* A queue: what is put in happens before it is taken out. */
ANNOTATION(AnnotatePCQCreate, uintptr_t queue)
{
	dh_annotate_new_memory(queue, 1);
}

ANNOTATION(AnnotatePCQDestroy, uintptr_t queue)
{
	dh_annotate_new_memory(queue, 1);
}

ANNOTATION(AnnotatePCQPut, uintptr_t queue)
{
	dh_annotate_happens_before(queue);
}

ANNOTATION(AnnotatePCQGet, uintptr_t queue)
{
	dh_annotate_happens_after(queue);
}

/* Reads and writes alike: to look at one half of what a thread does helps nobody. */
ANNOTATION(AnnotateIgnoreReadsBegin)
{
	dh_annotate_ignore_begin();
}

ANNOTATION(AnnotateIgnoreReadsEnd)
{
	dh_annotate_ignore_end();
}

ANNOTATION(AnnotateIgnoreWritesBegin)
{
	dh_annotate_ignore_begin();
}

ANNOTATION(AnnotateIgnoreWritesEnd)
{
	dh_annotate_ignore_end();
}

ANNOTATION(AnnotateIgnoreSyncBegin)
{
	dh_annotate_ignore_sync_begin();
}

ANNOTATION(AnnotateIgnoreSyncEnd)
{
	dh_annotate_ignore_sync_end();
}

ANNOTATION(AnnotateRWLockCreate, uintptr_t lock)
{
	dh_annotate_lock_born(lock, DH_CALLER());
}

ANNOTATION(AnnotateRWLockCreateStatic, uintptr_t lock)
{
	dh_annotate_lock_born(lock, DH_CALLER());
}

ANNOTATION(AnnotateRWLockDestroy, uintptr_t lock)
{
	dh_annotate_lock_gone(lock);
}

ANNOTATION(AnnotateRWLockAcquired, uintptr_t lock, uintptr_t write)
{
	dh_annotate_locked(lock, write ? DH_LOCK_WRITE : DH_LOCK_READ, 1, DH_CALLER());
}

ANNOTATION(AnnotateRWLockReleased, uintptr_t lock, uintptr_t write)
{
	dh_annotate_unlocking(lock, write ? DH_LOCK_WRITE : DH_LOCK_READ);
}

ANNOTATION(AnnotateBenignRace, uintptr_t addr, char *why)
{
	dh_annotate_benign(addr, 1, why);
}

ANNOTATION(AnnotateBenignRaceSized, uintptr_t addr, uintptr_t size, char *why)
{
	dh_annotate_benign(addr, size, why);
}

ANNOTATION(WTFAnnotateBenignRaceSized, uintptr_t addr, uintptr_t size, char *why)
{
	dh_annotate_benign(addr, size, why);
}

ANNOTATION(AnnotateNewMemory, uintptr_t addr, uintptr_t size)
{
	dh_annotate_new_memory(addr, size);
}

ANNOTATION(AnnotateThreadName, char *name)
{
	dh_annotate_thread_name(name);
}

/* ---- those that do nothing ---- */

#define NOTHING(name, ...)                                                               \
	DH_EXPORT void name(const char *file, int line, ##__VA_ARGS__);                  \
	void name(const char *file DH_UNUSED, int line DH_UNUSED, ##__VA_ARGS__)         \
	{                                                                                \
	}

#define ARG(name) uintptr_t name DH_UNUSED

/* Waiting on a condition is seen through the mutex. */
NOTHING(AnnotateCondVarSignal, ARG(cv))
NOTHING(AnnotateCondVarSignalAll, ARG(cv))
NOTHING(AnnotateCondVarWait, ARG(cv), ARG(lock))
NOTHING(AnnotateMutexIsNotPHB, ARG(lock))
NOTHING(AnnotateMutexIsUsedAsCondVar, ARG(lock))
/* For tests of other tools. */
NOTHING(AnnotateExpectRace, ARG(addr), char *why DH_UNUSED)
NOTHING(AnnotateFlushExpectedRaces)
NOTHING(AnnotateTraceMemory, ARG(addr))
NOTHING(AnnotateNoOp, ARG(addr))
/* Publication is seen through what it is done by. */
NOTHING(AnnotatePublishMemoryRange, ARG(addr), ARG(size))
NOTHING(AnnotateUnpublishMemoryRange, ARG(addr), ARG(size))
/* Of no meaning for races. */
NOTHING(AnnotateMemoryIsInitialized, ARG(addr), ARG(size))
NOTHING(AnnotateMemoryIsUninitialized, ARG(addr), ARG(size))
NOTHING(AnnotateFlushState)
NOTHING(AnnotateEnableRaceDetection, int enable DH_UNUSED)

/* ---- questions ---- */

DH_EXPORT int RunningOnValgrind(void);
int RunningOnValgrind(void)
{
	return 0;
}

/* Programs scale their time limits by it. */
DH_EXPORT double ValgrindSlowdown(void);
double ValgrindSlowdown(void)
{
	return 10.0;
}

/* Unordered means unordered here: no guessing from locks. */
DH_EXPORT const char *ThreadSanitizerQuery(const char *query);
const char *ThreadSanitizerQuery(const char *query)
{
	return dh_text_same(query, "pure_happens_before") ? "1" : "0";
}

/* ---- our own, of include/deadheat.h ---- */

void deadheat_happens_before(const volatile void *p)
{
	dh_annotate_happens_before((uintptr_t)p);
}

void deadheat_happens_after(const volatile void *p)
{
	dh_annotate_happens_after((uintptr_t)p);
}

void deadheat_ignore_begin(void)
{
	dh_annotate_ignore_begin();
}

void deadheat_ignore_end(void)
{
	dh_annotate_ignore_end();
}

void deadheat_ignore_sync_begin(void)
{
	dh_annotate_ignore_sync_begin();
}

void deadheat_ignore_sync_end(void)
{
	dh_annotate_ignore_sync_end();
}

void deadheat_benign(const volatile void *p, size_t n, const char *why)
{
	dh_annotate_benign((uintptr_t)p, n, why);
}

void deadheat_thread_name(const char *name)
{
	dh_annotate_thread_name(name);
}

void deadheat_lock_name(const volatile void *p, const char *name)
{
	dh_annotate_lock_name((uintptr_t)p, name);
}

void deadheat_variable_name(const volatile void *p, size_t n, const char *name)
{
	dh_annotate_variable_name((uintptr_t)p, n, name);
}

void deadheat_new_memory(const volatile void *p, size_t n)
{
	dh_annotate_new_memory((uintptr_t)p, n);
}

void deadheat_unit(const volatile void *p, size_t n, size_t unit)
{
	dh_observe_unit((uintptr_t)p, n, unit);
}

void deadheat_detect(unsigned how, const volatile void *p, size_t n)
{
	dh_observe_detect(how, (uintptr_t)p, n);
}

void deadheat_read(const volatile void *p, size_t n)
{
	dh_access_range((uintptr_t)p, n, 0, DH_CALLER());
}

void deadheat_write(const volatile void *p, size_t n)
{
	dh_access_range((uintptr_t)p, n, DH_ACCESS_WRITE, DH_CALLER());
}

void deadheat_locked(const volatile void *p, int write)
{
	dh_annotate_locked((uintptr_t)p, write ? DH_LOCK_WRITE : DH_LOCK_READ, 1,
			   DH_CALLER());
}

void deadheat_unlocking(const volatile void *p, int write)
{
	dh_annotate_unlocking((uintptr_t)p, write ? DH_LOCK_WRITE : DH_LOCK_READ);
}

/* The pointers end with one that none can be. */
void deadheat_missing_begin(const char *name, ...)
{
	enum { MOST = 32 };
	uint64_t words[MOST], word;
	size_t count = 0;
	va_list list;
	va_start(list, name);
	while ((word = va_arg(list, uint64_t)) != DH_MISSING_END && count < MOST)
		words[count++] = word;
	va_end(list);
	dh_missing_annotated_begin(name, words, count, DH_CALLER(),
				   (uintptr_t)__builtin_dwarf_cfa());
}

void deadheat_missing_end(void)
{
	dh_missing_annotated_end();
}

void deadheat_global(const volatile void *p, size_t n)
{
	dh_missing_global((uintptr_t)p, n);
}
