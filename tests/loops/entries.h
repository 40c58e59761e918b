/* SPDX-License-Identifier: MIT */
/*
 * Entry points in place of the runtime's, for tests of src/pass: written after what is
 * said of them in runtime/loops.h, they share nothing with those that they stand in for.
 * The one file of a program that includes this has the functions that are declared here,
 * and __tsan_func_entry() and its like. Accesses of functions without a frame come by
 * what is in each object (runtime/leaf.h).
 */
#ifndef TESTS_LOOPS_ENTRIES_H
#define TESTS_LOOPS_ENTRIES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* An access, and the place that it is made at. */
static void mark(uintptr_t at, uintptr_t size, bool write, const void *place);
/* Threads may learn of each other at this place. */
static void synchronise(const void *place);

static unsigned long at_once; /* calls that told of many rounds */

#define PLACE __builtin_return_address(0)

/* ---- ThreadSanitizer's entry points ---- */

#define ENTRY_OF(name, size, write)                                                      \
	void __tsan_##name(void *at);                                                    \
	void __tsan_##name(void *at)                                                     \
	{                                                                                \
		mark((uintptr_t)at, size, write, PLACE);                                 \
	}
#define ENTRY_AT(name, size, write)                                                      \
	void __tsan_##name(void *at, void *place);                                       \
	void __tsan_##name(void *at, void *place)                                        \
	{                                                                                \
		mark((uintptr_t)at, size, write, place);                                 \
	}
#define ENTRY(size)                                                                      \
	ENTRY_OF(read##size, size, false)                                                \
	ENTRY_OF(write##size, size, true)                                                \
	ENTRY_OF(unaligned_read##size, size, false)                                      \
	ENTRY_OF(unaligned_write##size, size, true)                                      \
	ENTRY_OF(volatile_read##size, size, false)                                       \
	ENTRY_OF(volatile_write##size, size, true)                                       \
	ENTRY_AT(read##size##_pc, size, false)                                           \
	ENTRY_AT(write##size##_pc, size, true)
ENTRY(1)
ENTRY(2)
ENTRY(4)
ENTRY(8)
ENTRY(16)
ENTRY_OF(vptr_read, 8, false)

void __tsan_vptr_update(void *at, void *value);
void __tsan_vptr_update(void *at, void *value)
{
	(void)value;
	mark((uintptr_t)at, sizeof value, true, PLACE);
}

void __tsan_init(void);
void __tsan_init(void)
{
}

void *__tsan_memcpy(void *to, const void *from, size_t n);
void *__tsan_memmove(void *to, const void *from, size_t n);
void *__tsan_memset(void *to, int value, size_t n);
static void *move(void *to, const void *from, size_t n, const void *place)
{
	mark((uintptr_t)from, n, false, place);
	mark((uintptr_t)to, n, true, place);
	return memmove(to, from, n);
}
void *__tsan_memcpy(void *to, const void *from, size_t n)
{
	return move(to, from, n, PLACE);
}
void *__tsan_memmove(void *to, const void *from, size_t n)
{
	return move(to, from, n, PLACE);
}
void *__tsan_memset(void *to, int value, size_t n)
{
	mark((uintptr_t)to, n, true, PLACE);
	return memset(to, value, n);
}

/* Atomics of the one size that is used, in one thread. */
typedef int32_t __attribute__((may_alias)) entry_int;
int32_t __tsan_atomic32_load(const entry_int *at, int order);
void __tsan_atomic32_store(entry_int *at, int32_t value, int order);
int32_t __tsan_atomic32_fetch_add(entry_int *at, int32_t value, int order);
int32_t __tsan_atomic32_load(const entry_int *at, int order)
{
	(void)order;
	synchronise(PLACE);
	return *at;
}
void __tsan_atomic32_store(entry_int *at, int32_t value, int order)
{
	(void)order;
	synchronise(PLACE);
	*at = value;
}
int32_t __tsan_atomic32_fetch_add(entry_int *at, int32_t value, int order)
{
	(void)order;
	synchronise(PLACE);
	int32_t was = *at;
	*at = (int32_t)((uint32_t)was + (uint32_t)value);
	return was;
}
void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
	(void)order;
	synchronise(PLACE);
}

/* ---- loops that tell of all their rounds at once ---- */

/* 32 bytes of the caller's. */
struct part {
	uintptr_t at;
	intptr_t step;
	const void *place;
	uint32_t size, kind;
};
enum { READ = 0x7ead, WRITE = 0x317e, MOST_PARTS = 8 };

static void mark_rounds(uintptr_t at, uintptr_t rounds, intptr_t step, uintptr_t size,
			bool write, const void *place)
{
	for (at_once++; rounds; rounds--, at += (uintptr_t)step)
		mark(at, size, write, place);
}

static void mark_nest(uintptr_t at, uintptr_t rounds, intptr_t step, uintptr_t times,
		      intptr_t by, uintptr_t size, bool write, const void *place)
{
	for (; times; times--, at += (uintptr_t)by)
		mark_rounds(at, rounds, step, size, write, place);
}

#define LOOP_OF(kind, size, write, code)                                                 \
	void __deadheat_loop_##kind##size(uintptr_t at, uintptr_t rounds,                \
					  intptr_t step);                                \
	void __deadheat_loop_##kind##size(uintptr_t at, uintptr_t rounds, intptr_t step) \
	{                                                                                \
		mark_rounds(at, rounds, step, size, write, PLACE);                       \
	}                                                                                \
	void __deadheat_loop_part_##kind##size(struct part *p, uintptr_t at,             \
					       intptr_t by);                             \
	void __deadheat_loop_part_##kind##size(struct part *p, uintptr_t at,             \
					       intptr_t by)                              \
	{                                                                                \
		*p = (struct part){at, by, PLACE, size, code};                           \
	}                                                                                \
	void __deadheat_loop_nest_##kind##size(uintptr_t at, uintptr_t rounds,           \
					       intptr_t step, uintptr_t times,           \
					       intptr_t by);                             \
	void __deadheat_loop_nest_##kind##size(                                          \
	    uintptr_t at, uintptr_t rounds, intptr_t step, uintptr_t times, intptr_t by) \
	{                                                                                \
		mark_nest(at, rounds, step, times, by, size, write, PLACE);              \
	}
#define LOOP(size)                                                                       \
	LOOP_OF(read, size, false, READ)                                                 \
	LOOP_OF(write, size, true, WRITE)
LOOP(1)
LOOP(2)
LOOP(4)
LOOP(8)
LOOP(16)

void __deadheat_loop_parts(struct part *part, uintptr_t parts, uintptr_t rounds);
void __deadheat_loop_parts(struct part *part, uintptr_t parts, uintptr_t rounds)
{
	if (parts > MOST_PARTS)
		abort();
	for (uintptr_t i = 0; i < parts; i++) {
		if (part[i].kind != READ && part[i].kind != WRITE)
			abort();
		mark_rounds(part[i].at, rounds, part[i].step, part[i].size,
			    part[i].kind == WRITE, part[i].place);
		part[i].kind = 0; /* has to be made anew */
	}
}

/* ---- memory ---- */

static inline uint64_t mixed(uint64_t n)
{
	n = (n ^ n >> 31) * 0x7fb5d329728ea185;
	n = (n ^ n >> 27) * 0x81dadef4bc2dd44d;
	return n ^ n >> 33;
}

/* The same bytes each time. */
static inline void fill(unsigned char *arena, size_t size)
{
	uint64_t value = 1;
	for (size_t i = 0; i < size; i += sizeof value) {
		value = value * 6364136223846793005u + 1442695040888963407u;
		memcpy(&arena[i], &value, sizeof value);
	}
}

static inline uint64_t contents(const unsigned char *arena, size_t size)
{
	uint64_t all = 0, value;
	for (size_t i = 0; i < size; i += sizeof value) {
		memcpy(&value, &arena[i], sizeof value);
		all = (all << 7 | all >> 57) * 0x9e3779b97f4a7c15 + value;
	}
	return mixed(all);
}

#endif
