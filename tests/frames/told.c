/* SPDX-License-Identifier: MIT */
/*
 * Calls the functions of random.t in place of the runtime that they were built for: what
 * they compute goes to standard output, and what they tell to the file that is named:
 *
 *	j NAME N FUEL		a function is called
 *	r SIZE AT NODE PLACE	a read of the arena: the stack, and where it is
 *	w SIZE AT NODE PLACE	likewise a write
 *	s NODE PLACE		threads may learn of each other
 *	c NODE NODE PLACE	a stack: the one below it, and where from
 *	! TEXT			what is wrong with the stack
 *
 * A stack is told of before it is used; 0 is that of where nothing was entered.
 */
#define V
#include "told.h"
#include "../loops/entries.h"

#include <stdio.h>

enum { DEEPEST = 256, LANDINGS = 64, NODES = 1 << 16 };

static _Alignas(64) unsigned char arena[ARENA];
static FILE *out;

/* ---- the stack ---- */

static struct node {
	const void *place;
	unsigned below;
} nodes[NODES];
static unsigned stack[DEEPEST];
static int depth;

static void wrong(const char *what)
{
	fprintf(out, "! %s at a depth of %d\n", what, depth);
}

static unsigned node_of(unsigned below, const void *place)
{
	unsigned i = (unsigned)mixed((uintptr_t)place ^ (uint64_t)below << 48) % NODES;
	for (; nodes[i].place || !i; i = (i + 1) % NODES)
		if (i && nodes[i].place == place && nodes[i].below == below)
			return i;
	nodes[i] = (struct node){place, below};
	fprintf(out, "c %u %u %lx\n", i, below, (unsigned long)place);
	return i;
}

void __tsan_func_entry(void *from);
void __tsan_func_exit(void);
void __tsan_func_entry(void *from)
{
	if (depth == DEEPEST - 1)
		exit(3);
	stack[depth + 1] = node_of(stack[depth], from);
	depth++;
}

void __tsan_func_exit(void)
{
	if (depth)
		depth--;
	else
		wrong("left");
}

/* ---- what is told ---- */

static void mark(uintptr_t at, uintptr_t size, bool write, const void *place)
{
	const uintptr_t i = at - (uintptr_t)arena;
	if (i < ARENA)
		fprintf(out, "%c %lu %ld %u %lx\n", write ? 'w' : 'r', size,
			(long)i - FIRST, stack[depth], (unsigned long)place);
}

static void synchronise(const void *place)
{
	fprintf(out, "s %u %lx\n", stack[depth], (unsigned long)place);
}

void take(void *lock)
{
	(void)lock;
	synchronise(PLACE);
}

void give(void *lock)
{
	(void)lock;
	synchronise(PLACE);
}

void probe(void)
{
	synchronise(PLACE);
}

/* ---- jumps ---- */

static jmp_buf landings[LANDINGS];
static int depths[LANDINGS], landings_count;

jmp_buf *landing(void)
{
	if (landings_count == LANDINGS)
		exit(3);
	depths[landings_count] = depth;
	return &landings[landings_count++];
}

void landed(void)
{
	if (depths[--landings_count] != depth)
		wrong("landed");
}

/* As the runtime's longjmp() does. */
void leap(void)
{
	landings_count--;
	synchronise(PLACE);
	if (depth < depths[landings_count])
		wrong("leaps");
	depth = depths[landings_count];
	longjmp(landings[landings_count], 1);
}

/* ---- calls ---- */

static void call(const struct job *j)
{
	fill(arena, ARENA);
	fprintf(out, "j %s %ld %d\n", j->name, j->n, j->fuel);
	unsigned long result = guarded(j->function, (char *)arena + FIRST, j->n, j->fuel);
	if (depth || landings_count)
		wrong("returned");
	depth = landings_count = 0;
	printf("%s(%ld, %d): %lx %lx\n", j->name, j->n, j->fuel, result,
	       contents(arena, ARENA));
}

int main(int argc, char **argv)
{
	if (argc != 2 || !(out = fopen(argv[1], "w")))
		return 2;
	for (int i = 0; i < jobs_count; i++)
		call(&jobs[i]);
	return fclose(out) == 0 ? 0 : 2;
}
