/* SPDX-License-Identifier: MIT */
/*
 * deadheat.h: tell Deadheat what it cannot see.
 *
 * A program needs none of this to be watched. It helps where synchronisation is done in
 * ways that no instrumentation shows (inline assembly, shared memory, hardware), where a
 * race is known and wanted, and to have names in reports.
 *
 * The header is all there is to it: nothing has to be linked. Where the program does not
 * run under Deadheat, each macro is a test of a pointer that is NULL; with
 * DEADHEAT_DISABLE defined before inclusion, not even that.
 *
 * C (from C99) and C++, gcc and clang. All macros are statements of type void unless said
 * otherwise, evaluate their arguments at most once, may be used by any thread at any
 * time but within signal handlers, and keep errno.
 */
#ifndef DEADHEAT_H
#define DEADHEAT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The runtime's side: NULL where there is no runtime. Use the macros below. */
#ifndef DEADHEAT_DISABLE
#ifndef DEADHEAT_WEAK /* else this is the runtime, which defines them */
#define DEADHEAT_WEAK __attribute__((weak, visibility("default")))
#endif
DEADHEAT_WEAK extern void deadheat_happens_before(const volatile void *p);
DEADHEAT_WEAK extern void deadheat_happens_after(const volatile void *p);
DEADHEAT_WEAK extern void deadheat_ignore_begin(void);
DEADHEAT_WEAK extern void deadheat_ignore_end(void);
DEADHEAT_WEAK extern void deadheat_ignore_sync_begin(void);
DEADHEAT_WEAK extern void deadheat_ignore_sync_end(void);
DEADHEAT_WEAK extern void deadheat_benign(const volatile void *p, size_t n,
					  const char *why);
DEADHEAT_WEAK extern void deadheat_thread_name(const char *name);
DEADHEAT_WEAK extern void deadheat_lock_name(const volatile void *p, const char *name);
DEADHEAT_WEAK extern void deadheat_variable_name(const volatile void *p, size_t n,
						 const char *name);
DEADHEAT_WEAK extern void deadheat_new_memory(const volatile void *p, size_t n);
DEADHEAT_WEAK extern void deadheat_read(const volatile void *p, size_t n);
DEADHEAT_WEAK extern void deadheat_write(const volatile void *p, size_t n);
DEADHEAT_WEAK extern void deadheat_locked(const volatile void *p, int write);
DEADHEAT_WEAK extern void deadheat_unlocking(const volatile void *p, int write);
DEADHEAT_WEAK extern void deadheat_missing_begin(const char *name, ...);
DEADHEAT_WEAK extern void deadheat_missing_end(void);
DEADHEAT_WEAK extern void deadheat_global(const volatile void *p, size_t n);
DEADHEAT_WEAK extern void deadheat_unit(const volatile void *p, size_t n, size_t unit);
DEADHEAT_WEAK extern void deadheat_detect(unsigned how, const volatile void *p, size_t n);
#define DEADHEAT_CALL(function, arguments) ((function) ? (function)arguments : (void)0)
#define DEADHEAT_IS_THERE(function)	   ((function) != NULL)
#else
#define DEADHEAT_CALL(function, arguments) ((void)0)
#define DEADHEAT_IS_THERE(function)	   (0)
#endif

#ifdef __cplusplus
}
#endif

/* Is the program being watched? An int. */
#define DEADHEAT_RUNNING() DEADHEAT_IS_THERE(deadheat_happens_before)

/* ---- order ----
 *
 * Everything that a thread did before HAPPENS_BEFORE(p) happens before everything that
 * any thread does after a later HAPPENS_AFTER(p). p is any address that both sides know;
 * nothing is read or written there. Several HAPPENS_BEFORE on one p add up.
 *
 *	producer:  fill(buffer); DEADHEAT_HAPPENS_BEFORE(buffer); ring_doorbell();
 *	consumer:  wait_for_bell(); DEADHEAT_HAPPENS_AFTER(buffer); use(buffer);
 */
#define DEADHEAT_HAPPENS_BEFORE(p) DEADHEAT_CALL(deadheat_happens_before, (p))
#define DEADHEAT_HAPPENS_AFTER(p)  DEADHEAT_CALL(deadheat_happens_after, (p))

/* ---- locks of your own making ----
 *
 * LOCKED right after a lock was taken, UNLOCKING right before it is given back; write is
 * 0 for a reader's lock that others may have at the same time, else 1. Who takes the
 * lock comes after all who gave it back (a reader: after all writers), and reports show
 * it among the locks held. If the lock is made of atomic operations that are seen anyway,
 * this adds the second.
 */
#define DEADHEAT_LOCKED(p, write)    DEADHEAT_CALL(deadheat_locked, (p, write))
#define DEADHEAT_UNLOCKING(p, write) DEADHEAT_CALL(deadheat_unlocking, (p, write))

/* ---- what not to look at ----
 *
 * Between IGNORE_BEGIN and IGNORE_END the calling thread's reads and writes are not
 * looked at; what it synchronises still is. Between IGNORE_SYNC_BEGIN and IGNORE_SYNC_END
 * its synchronisation is not: for code whose order is an accident and should not count,
 * like the lock inside a logging function. Both nest. Every begin needs its end, on the
 * same thread.
 */
#define DEADHEAT_IGNORE_BEGIN()	     DEADHEAT_CALL(deadheat_ignore_begin, ())
#define DEADHEAT_IGNORE_END()	     DEADHEAT_CALL(deadheat_ignore_end, ())
#define DEADHEAT_IGNORE_SYNC_BEGIN() DEADHEAT_CALL(deadheat_ignore_sync_begin, ())
#define DEADHEAT_IGNORE_SYNC_END()   DEADHEAT_CALL(deadheat_ignore_sync_end, ())

/* Races on the variable are known and wanted; why says so, for whoever reads the code and
 * the statistics. From now on, until the memory is freed. An array or struct counts as a
 * whole. */
#define DEADHEAT_BENIGN(variable, why)                                                   \
	DEADHEAT_CALL(deadheat_benign, (&(variable), sizeof(variable), why))

/* The same for n bytes at p. */
#define DEADHEAT_BENIGN_RANGE(p, n, why) DEADHEAT_CALL(deadheat_benign, (p, n, why))

/* ---- names in reports ----
 *
 * Copied, and cut after 31 characters (a variable's: 63).
 */

/* The calling thread. */
#define DEADHEAT_THREAD_NAME(name) DEADHEAT_CALL(deadheat_thread_name, (name))

/* The lock at p: a mutex, reader-writer lock, or one of your own making. */
#define DEADHEAT_LOCK_NAME(p, name) DEADHEAT_CALL(deadheat_lock_name, (p, name))

/* A variable that has no name of its own, like a part of a block of memory. */
#define DEADHEAT_VARIABLE_NAME(variable, name)                                           \
	DEADHEAT_CALL(deadheat_variable_name, (&(variable), sizeof(variable), name))

/* ---- memory ---- */

/* The n bytes at p begin a new life: for allocators of your own, when they give out a
 * block again. Earlier accesses are of no concern to what follows. */
#define DEADHEAT_NEW_MEMORY(p, n) DEADHEAT_CALL(deadheat_new_memory, (p, n))

/* The calling thread reads, or writes, the n bytes at p: where uninstrumented code or a
 * device does it on its behalf. Reads and writes nothing itself. */
#define DEADHEAT_READ(p, n)  DEADHEAT_CALL(deadheat_read, (p, n))
#define DEADHEAT_WRITE(p, n) DEADHEAT_CALL(deadheat_write, (p, n))

/* ---- detection, more coarsely or less ----
 *
 * For the engines that `deadheat analyze` has too (`deadheat run --engine multirace`, ...);
 * the others pass over these.
 *
 * UNIT: each `unit` bytes of the n at p are one variable to the engine, all of them where
 * unit is 0 or n: cheaper, and accesses to different parts may be reported. What was known
 * of the memory is forgotten. Until it is freed, or another UNIT covers it.
 *
 * While detection is suspended every access is looked at, repeats too, and what is found
 * is reported but does not change the exit status: for races that are known, and may hide
 * others behind them. While it is off nothing is looked at, and nothing found.
 *
 *	SUSPEND(p, n)      SWITCH_OFF(p, n)      the calling thread's accesses to n bytes at p
 *	SUSPEND_THREAD()   SWITCH_OFF_THREAD()   all of the calling thread's
 *	SUSPEND_ALL()      SWITCH_OFF_ALL()      all threads'
 *
 * RESUME and SWITCH_ON, with the same arguments, end it. Pairs nest. The option
 * --detection begins a run as after SUSPEND_ALL or SWITCH_OFF_ALL.
 */
#define DEADHEAT_UNIT(p, n, unit)      DEADHEAT_CALL(deadheat_unit, (p, n, unit))
#define DEADHEAT_SUSPEND(p, n)	       DEADHEAT_CALL(deadheat_detect, (0, p, n))
#define DEADHEAT_RESUME(p, n)	       DEADHEAT_CALL(deadheat_detect, (4, p, n))
#define DEADHEAT_SUSPEND_THREAD()      DEADHEAT_CALL(deadheat_detect, (0, NULL, 0))
#define DEADHEAT_RESUME_THREAD()       DEADHEAT_CALL(deadheat_detect, (4, NULL, 0))
#define DEADHEAT_SUSPEND_ALL()	       DEADHEAT_CALL(deadheat_detect, (2, NULL, 0))
#define DEADHEAT_RESUME_ALL()	       DEADHEAT_CALL(deadheat_detect, (6, NULL, 0))
#define DEADHEAT_SWITCH_OFF(p, n)      DEADHEAT_CALL(deadheat_detect, (1, p, n))
#define DEADHEAT_SWITCH_ON(p, n)       DEADHEAT_CALL(deadheat_detect, (5, p, n))
#define DEADHEAT_SWITCH_OFF_THREAD()   DEADHEAT_CALL(deadheat_detect, (1, NULL, 0))
#define DEADHEAT_SWITCH_ON_THREAD()    DEADHEAT_CALL(deadheat_detect, (5, NULL, 0))
#define DEADHEAT_SWITCH_OFF_ALL()      DEADHEAT_CALL(deadheat_detect, (3, NULL, 0))
#define DEADHEAT_SWITCH_ON_ALL()       DEADHEAT_CALL(deadheat_detect, (7, NULL, 0))

/* ---- missing methods ----
 *
 * For recorded runs, from which races of other schedules are predicted: what happens
 * between MISSING_BEGIN and MISSING_END is not seen, and may order the calling thread with
 * others by anything that it can reach from the pointers. Calls of functions in libraries
 * that were not built for watching are known by themselves; this is for the others:
 *
 *	DEADHEAT_MISSING_BEGIN("wait_for", mailbox, door);
 *	... inline assembly ...
 *	DEADHEAT_MISSING_END();
 *
 * Pairs nest, and end with the function that they were begun in. The name is copied, and
 * cut after 63 characters.
 *
 * GLOBAL(x) says that the next missing method, of either kind, that the calling thread
 * begins may use the variable x, though no argument leads to it.
 */
#define DEADHEAT_MISSING_BEGIN(...)                                                      \
	DEADHEAT_CALL(deadheat_missing_begin, (__VA_ARGS__, (void *)-1))
#define DEADHEAT_MISSING_END() DEADHEAT_CALL(deadheat_missing_end, ())
#define DEADHEAT_GLOBAL(x)     DEADHEAT_CALL(deadheat_global, (&(x), sizeof(x)))

#endif
