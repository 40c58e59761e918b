/* SPDX-License-Identifier: MIT */
/*
 * Order between the threads of a test program that the detector cannot see.
 *
 * A test that says "B's access comes after A's" must not say it with anything
 * that the detector takes for synchronisation: the order would hide the race.
 * These functions order threads in time through a futex; no function here is
 * instrumented, on any compiler and at any level of optimisation, and none
 * calls anything that is interposed.
 *
 *	static invisible_barrier_t bar = INVISIBLE_BARRIER(2);
 *	invisible_barrier_wait(&bar);           both threads have come this far
 *
 *	static invisible_step_t step;
 *	A: x = 1; invisible_advance(&step);     B: invisible_await(&step, 1); x = 2;
 *
 * Works in C and C++; zeroed memory is a step counter at 0. errno is kept.
 */
#ifndef TESTS_PROGRAMS_INVISIBLE_H
#define TESTS_PROGRAMS_INVISIBLE_H

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * clang still instruments atomics and function entries under no_sanitize, so it
 * gets the stronger attribute. Never inlined: the attribute is the function's.
 */
#ifdef __clang__
#define INVISIBLE                                                                        \
	__attribute__((disable_sanitizer_instrumentation, noinline, unused)) static
#else
#define INVISIBLE __attribute__((no_sanitize("thread"), noinline, unused)) static
#endif

/* A count that only grows; a thread waits until it has reached a value. */
typedef struct invisible_step {
	int value;
} invisible_step_t;

/* For `count` threads, any number of rounds. */
typedef struct invisible_barrier {
	int count;
	int arrived;
	invisible_step_t round;
} invisible_barrier_t;

#define INVISIBLE_BARRIER(n) {(n), 0, {0}}

/* Raises the count by one and wakes all that wait for it. */
INVISIBLE void invisible_advance(invisible_step_t *step)
{
	int keep = errno;

	__atomic_add_fetch(&step->value, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &step->value, FUTEX_WAKE, INT_MAX, 0, 0, 0);
	errno = keep;
}

/* Returns once the count is at least `value`. */
INVISIBLE void invisible_await(invisible_step_t *step, int value)
{
	int keep = errno;

	for (;;) {
		int now = __atomic_load_n(&step->value, __ATOMIC_SEQ_CST);

		if (now >= value)
			break;
		syscall(SYS_futex, &step->value, FUTEX_WAIT, now, 0, 0, 0);
	}
	errno = keep;
}

INVISIBLE void invisible_barrier_init(invisible_barrier_t *bar, int count)
{
	bar->count = count;
	bar->arrived = 0;
	bar->round.value = 0;
}

/* Returns once `count` threads of this round have called it. */
INVISIBLE void invisible_barrier_wait(invisible_barrier_t *bar)
{
	int round = __atomic_load_n(&bar->round.value, __ATOMIC_SEQ_CST);

	if (__atomic_add_fetch(&bar->arrived, 1, __ATOMIC_SEQ_CST) == bar->count) {
		__atomic_store_n(&bar->arrived, 0, __ATOMIC_SEQ_CST);
		invisible_advance(&bar->round);
	} else {
		invisible_await(&bar->round, round + 1);
	}
}

#endif
