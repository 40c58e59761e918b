/* SPDX-License-Identifier: MIT */
/*
 * Variables that are used without a lock at several places: places NAME. Each place is a
 * function and has a thread of its own; their turns come one after the other, in an order
 * that the detector cannot see.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "../threads.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static invisible_step_t step;
static long x, y, *at[5];
static int lucky = -1; /* up to this turn a lock is taken and left around each */

static __attribute__((noinline)) void one(long *p)
{
	++*p;
}

static __attribute__((noinline)) void two(long *p)
{
	++*p;
}

static __attribute__((noinline)) void three(long *p)
{
	++*p;
}

static __attribute__((noinline)) void four(long *p)
{
	++*p;
}

static __attribute__((noinline)) void five(long *p)
{
	++*p;
}

static void (*const places[])(long *p) = {one, two, three, four, five};

static void *turn(void *who)
{
	int i = (int)(long)who;
	invisible_await(&step, i);
	if (i <= lucky) {
		pthread_mutex_lock(&m);
		pthread_mutex_unlock(&m);
	}
	places[i](at[i]);
	if (i <= lucky) {
		pthread_mutex_lock(&m);
		pthread_mutex_unlock(&m);
	}
	invisible_advance(&step);
	return NULL;
}

/* The turns from one to before another; when they are over, who comes next knows. */
static void run(long from, long to)
{
	pthread_t t[5];
	for (long i = from; i < to; i++)
		pthread_create(&t[i], NULL, turn, (void *)i);
	for (long i = from; i < to; i++)
		pthread_join(t[i], NULL);
}

/* Blocks of one kind. */
static __attribute__((noinline)) void make(int count)
{
	for (int i = 0; i < count; i += 2)
		at[i] = at[i + 1] = calloc(4, sizeof(long));
}

static void map(void)
{
	long *p =
	    mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		abort();
	for (int i = 0; i < 5; i++)
		at[i] = p;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	int last = 4, pause = 0; /* after so many turns the next ones begin in order */
	for (int i = 0; i < 5; i++)
		at[i] = &x;
	if (strcmp(name, "three") == 0) {
		last = 3;
	} else if (strcmp(name, "five") == 0) {
		last = 5;
	} else if (strcmp(name, "later") == 0) {
		pause = 2;
	} else if (strcmp(name, "apart") == 0) { /* two variables */
		at[2] = at[3] = &y;
	} else if (strcmp(name, "luck") == 0) {
		lucky = 4;
	} else if (strcmp(name, "surer") == 0) { /* the third has no luck */
		lucky = 1;
		last = 3;
	} else if (strcmp(name, "blocks") == 0) {
		make(last);
	} else if (strcmp(name, "pieces") == 0) { /* memory that was put to another use */
		map();
		pause = 2;
	} else {
		return 2;
	}
	run(0, pause ? pause : last);
	if (pause)
		run(pause, last);
	return 0;
}
