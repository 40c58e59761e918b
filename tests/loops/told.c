/* SPDX-License-Identifier: MIT */
/*
 * Calls the functions of random.t in place of the runtime that they were built for: what
 * they compute goes to standard output, and which bytes of the arena they told of as read
 * alone and as written, between one synchronisation and the next, to the file that is
 * named.
 *
 *	told FILE [FUNCTION]	of one function: the bytes themselves
 */
#include "told.h"
#include "entries.h"

#include <stdio.h>

static _Alignas(64) unsigned char arena[ARENA];
static uint32_t met[2][ARENA]; /* the interval in which a byte was read, written */
static uint32_t interval = 1, first_interval;
static uint64_t sum[2], count[2]; /* of the bytes of this interval, in any order */
static FILE *out;
static bool show;

/* ---- marks ---- */

static void mark(uintptr_t at, uintptr_t size, bool write, const void *place)
{
	(void)place;
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
	fprintf(out, " [%u: %lu %lx, %lu %lx]", interval - first_interval, count[0],
		sum[0], count[1], sum[1]);
	if (show) {
		show_bytes(false);
		show_bytes(true);
	}
	interval++;
	sum[0] = sum[1] = count[0] = count[1] = 0;
}

static void synchronise(const void *place)
{
	(void)place;
	end_interval();
}

void __tsan_func_entry(void *from);
void __tsan_func_exit(void);
void __tsan_func_entry(void *from)
{
	(void)from;
}
void __tsan_func_exit(void)
{
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

/* ---- calls ---- */

static void call(const struct job *j)
{
	char *a = (char *)arena + FIRST, *b = a + j->apart;
	fill(arena, ARENA);
	first_interval = interval;
	fprintf(out, "%s(%ld, %ld, %ld):", j->name, j->n, j->m, j->s);
	unsigned long result = j->function(a, b, j->n, j->m, j->s);
	end_interval();
	fputc('\n', out);
	printf("%s(%ld, %ld, %ld): %lx %lx\n", j->name, j->n, j->m, j->s, result,
	       contents(arena, ARENA));
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
