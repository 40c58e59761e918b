/* SPDX-License-Identifier: MIT */
/*
 * Calls the functions of random.t in place of the runtime that they were built for: what
 * they compute goes to standard output, and which bytes of the arena they told of as read
 * alone and as written, between one synchronisation and the next, to the file that is
 * named. The
 * entry points are written after what is said of them in runtime/loops.h, and share
 * nothing with those that they stand in for.
 *
 *	told FILE [FUNCTION]	of one function: the bytes themselves
 */
#include "told.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static _Alignas(64) unsigned char arena[ARENA];
static uint32_t met[2][ARENA]; /* the interval in which a byte was read, written */
static uint32_t interval = 1, first_interval;
static uint64_t sum[2], count[2]; /* of the bytes of this interval, in any order */
static unsigned long at_once;	  /* calls that told of many rounds */
static FILE *out;
static bool show;

/* ---- marks ---- */

static uint64_t mixed(uint64_t n)
{
	n = (n ^ n >> 31) * 0x7fb5d329728ea185;
	n = (n ^ n >> 27) * 0x81dadef4bc2dd44d;
	return n ^ n >> 33;
}

static void mark(uintptr_t at, uintptr_t size, bool write)
{
	for (uintptr_t i = at - (uintptr_t)arena, end = i + size; i != end; i++) {
		if (i >= ARENA || met[write][i] == interval)
			continue;
		const bool other = met[!write][i] == interval;
		met[write][i] = interval;
		if (!write && other)
			continue;
		sum[write] += mixed(i + 1);
		count[write]++;
		if (other) {
			sum[0] -= mixed(i + 1);
			count[0]--;
		}
	}
}

static void show_bytes(bool write)
{
	fputs(write ? "\n\twritten" : "\n\tread", out);
	for (long i = 0, from = -1; i <= ARENA; i++) {
		bool is = i < ARENA && met[write][i] == interval &&
			  (write || met[1][i] != interval);
		if (is && from < 0)
			from = i;
		if (is || from < 0)
			continue;
		fprintf(out, " %ld", from - FIRST);
		if (i - from > 1)
			fprintf(out, "..%ld", i - 1 - FIRST);
		from = -1;
	}
}

/* An interval ends. One in which nothing was told is one all the same. */
static void end_interval(void)
{
	fprintf(out, " [%u: %lu %lx, %lu %lx]", interval - first_interval, count[0], sum[0],
		count[1], sum[1]);
	if (show) {
		show_bytes(false);
		show_bytes(true);
	}
	interval++;
	sum[0] = sum[1] = count[0] = count[1] = 0;
}

void take(void *lock)
{
	(void)lock;
	end_interval();
}

void give(void *lock)
{
	(void)lock;
	end_interval();
}

/* ---- ThreadSanitizer's entry points ---- */

#define ENTRY(size)                                                                      \
	void __tsan_read##size(void *at);                                                \
	void __tsan_write##size(void *at);                                               \
	void __tsan_unaligned_read##size(void *at);                                      \
	void __tsan_unaligned_write##size(void *at);                                     \
	void __tsan_volatile_read##size(void *at);                                       \
	void __tsan_volatile_write##size(void *at);                                      \
	void __tsan_read##size##_pc(void *at, void *place);                              \
	void __tsan_write##size##_pc(void *at, void *place);                             \
	void __tsan_read##size(void *at) { mark((uintptr_t)at, size, false); }           \
	void __tsan_write##size(void *at) { mark((uintptr_t)at, size, true); }           \
	void __tsan_unaligned_read##size(void *at) { mark((uintptr_t)at, size, false); } \
	void __tsan_unaligned_write##size(void *at) { mark((uintptr_t)at, size, true); } \
	void __tsan_volatile_read##size(void *at) { mark((uintptr_t)at, size, false); }  \
	void __tsan_volatile_write##size(void *at) { mark((uintptr_t)at, size, true); }  \
	void __tsan_read##size##_pc(void *at, void *place)                               \
	{                                                                                \
		(void)place;                                                             \
		mark((uintptr_t)at, size, false);                                        \
	}                                                                                \
	void __tsan_write##size##_pc(void *at, void *place)                              \
	{                                                                                \
		(void)place;                                                             \
		mark((uintptr_t)at, size, true);                                         \
	}
ENTRY(1)
ENTRY(2)
ENTRY(4)
ENTRY(8)
ENTRY(16)

void __tsan_init(void);
void __tsan_func_entry(void *from);
void __tsan_func_exit(void);
void __tsan_init(void) {}
void __tsan_func_entry(void *from) { (void)from; }
void __tsan_func_exit(void) {}

void *__tsan_memcpy(void *to, const void *from, size_t n);
void *__tsan_memmove(void *to, const void *from, size_t n);
void *__tsan_memset(void *to, int value, size_t n);
void *__tsan_memcpy(void *to, const void *from, size_t n)
{
	return __tsan_memmove(to, from, n);
}
void *__tsan_memmove(void *to, const void *from, size_t n)
{
	mark((uintptr_t)from, n, false);
	mark((uintptr_t)to, n, true);
	return memmove(to, from, n);
}
void *__tsan_memset(void *to, int value, size_t n)
{
	mark((uintptr_t)to, n, true);
	return memset(to, value, n);
}

/* Atomics of the one size that is used, in one thread. */
int32_t __tsan_atomic32_load(const c4 *at, int order);
void __tsan_atomic32_store(c4 *at, int32_t value, int order);
int32_t __tsan_atomic32_fetch_add(c4 *at, int32_t value, int order);
int32_t __tsan_atomic32_load(const c4 *at, int order)
{
	(void)order;
	end_interval();
	return *at;
}
void __tsan_atomic32_store(c4 *at, int32_t value, int order)
{
	(void)order;
	end_interval();
	*at = value;
}
int32_t __tsan_atomic32_fetch_add(c4 *at, int32_t value, int order)
{
	int32_t was = __tsan_atomic32_load(at, order);
	*at = (int32_t)((uint32_t)was + (uint32_t)value);
	return was;
}
void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
	(void)order;
	end_interval();
}

/* ---- loops that tell of all their rounds at once ---- */

/* 32 bytes of the caller's. */
struct part {
	uintptr_t at;
	intptr_t step;
	uint64_t size, kind;
};
enum { READ = 0x7ead, WRITE = 0x317e, MOST_PARTS = 8 };

static void mark_rounds(uintptr_t at, uintptr_t rounds, intptr_t step, uintptr_t size,
			bool write)
{
	for (at_once++; rounds; rounds--, at += (uintptr_t)step)
		mark(at, size, write);
}

static void mark_nest(uintptr_t at, uintptr_t rounds, intptr_t step, uintptr_t times,
		      intptr_t by, uintptr_t size, bool write)
{
	for (; times; times--, at += (uintptr_t)by)
		mark_rounds(at, rounds, step, size, write);
}

#define NEST(kind, size, write)                                                          \
	void __deadheat_loop_nest_##kind##size(uintptr_t at, uintptr_t rounds,           \
					       intptr_t step, uintptr_t times,           \
					       intptr_t by);                             \
	void __deadheat_loop_nest_##kind##size(uintptr_t at, uintptr_t rounds,           \
					       intptr_t step, uintptr_t times,           \
					       intptr_t by)                              \
	{                                                                                \
		mark_nest(at, rounds, step, times, by, size, write);                     \
	}
#define LOOP(size)                                                                       \
	NEST(read, size, false)                                                          \
	NEST(write, size, true)                                                          \
	void __deadheat_loop_read##size(uintptr_t at, uintptr_t rounds, intptr_t step);  \
	void __deadheat_loop_write##size(uintptr_t at, uintptr_t rounds, intptr_t step); \
	void __deadheat_loop_part_read##size(struct part *p, uintptr_t at, intptr_t by); \
	void __deadheat_loop_part_write##size(struct part *p, uintptr_t at,              \
					      intptr_t by);                              \
	void __deadheat_loop_read##size(uintptr_t at, uintptr_t rounds, intptr_t step)   \
	{                                                                                \
		mark_rounds(at, rounds, step, size, false);                              \
	}                                                                                \
	void __deadheat_loop_write##size(uintptr_t at, uintptr_t rounds, intptr_t step)  \
	{                                                                                \
		mark_rounds(at, rounds, step, size, true);                               \
	}                                                                                \
	void __deadheat_loop_part_read##size(struct part *p, uintptr_t at, intptr_t by)  \
	{                                                                                \
		*p = (struct part){at, by, size, READ};                                  \
	}                                                                                \
	void __deadheat_loop_part_write##size(struct part *p, uintptr_t at, intptr_t by) \
	{                                                                                \
		*p = (struct part){at, by, size, WRITE};                                 \
	}
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
			    part[i].kind == WRITE);
		part[i].kind = 0; /* has to be made anew */
	}
}

/* ---- calls ---- */

static void fill(void)
{
	uint64_t value = 1;
	for (size_t i = 0; i < ARENA; i += sizeof value) {
		value = value * 6364136223846793005u + 1442695040888963407u;
		memcpy(&arena[i], &value, sizeof value);
	}
}

static uint64_t contents(void)
{
	uint64_t all = 0, value;
	for (size_t i = 0; i < ARENA; i += sizeof value) {
		memcpy(&value, &arena[i], sizeof value);
		all = (all << 7 | all >> 57) * 0x9e3779b97f4a7c15 + value;
	}
	return mixed(all);
}

static void call(const struct job *j)
{
	char *a = (char *)arena + FIRST, *b = a + j->apart;
	fill();
	first_interval = interval;
	fprintf(out, "%s(%ld, %ld, %ld):", j->name, j->n, j->m, j->s);
	unsigned long result = j->function(a, b, j->n, j->m, j->s);
	end_interval();
	fputc('\n', out);
	printf("%s(%ld, %ld, %ld): %lx %lx\n", j->name, j->n, j->m, j->s, result,
	       contents());
}

int main(int argc, char **argv)
{
	if (argc < 2 || !(out = fopen(argv[1], "w")))
		return 2;
	show = argc > 2;
	for (int i = 0; i < jobs_count; i++)
		if (!show || strcmp(argv[2], jobs[i].name) == 0)
			call(&jobs[i]);
	fprintf(stderr, "%lu\n", at_once);
	return fclose(out) == 0 ? 0 : 2;
}
