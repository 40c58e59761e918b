/* SPDX-License-Identifier: MIT */
/*
 * Ways in which two threads share memory: patterns NAME ROUNDS. In each round first one
 * and then two have a turn, in an order that the detector cannot see.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../threads.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static invisible_step_t step;
static int rounds;
static void (*turn)(int who);

typedef long number;
static number x;
static struct {
	long a, b;
} pair;
static _Alignas(8) struct {
	int bare, locked;
} ints;
static _Alignas(128) long row[16];
static long *published;
static atomic_int passed;

static void touch(pthread_mutex_t *lock, long *at)
{
	if (lock)
		pthread_mutex_lock(lock);
	++*at;
	if (lock)
		pthread_mutex_unlock(lock);
}

/* No lock at all. */
static void bare(int who)
{
	(void)who;
	touch(NULL, &x);
}

/* No lock at all, but a lock is taken and left before and after (MultiRace, Figure 8). */
static void luck(int who)
{
	(void)who;
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	touch(NULL, &x);
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
}

/* One half of a granule without a lock, the other with one; the second thread begins with
 * the latter. */
static void halves(int who)
{
	if (!who)
		ints.bare++;
	pthread_mutex_lock(&m);
	ints.locked++;
	pthread_mutex_unlock(&m);
	if (who)
		ints.bare++;
}

/* Handed to and fro by an atomic number, which is asked for more than once; what a lock
 * tells beside is more than the number does. */
static void number_tells(int who)
{
	atomic_load_explicit(&passed, memory_order_acquire);
	touch(NULL, &x);
	atomic_store_explicit(&passed, who, memory_order_release);
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	atomic_load_explicit(&passed, memory_order_acquire);
}

static void locked(int who)
{
	(void)who;
	touch(&m, &x);
}

/* Read by both at once under a lock that allows that, and then written under it. */
static void readers(int who)
{
	static _Thread_local int turns;
	bool reads = turns++ % 2 == 0;
	if (!who && !reads)
		pthread_rwlock_unlock(&rw); /* held since the other's turn */
	if (reads)
		pthread_rwlock_rdlock(&rw);
	else
		pthread_rwlock_wrlock(&rw);
	if (x < 9 && !reads)
		x++;
	if (who || !reads)
		pthread_rwlock_unlock(&rw);
}

/* Written by one who holds a lock for reading, and by one who holds it for writing: that
 * cannot be at once. */
static void modes(int who)
{
	if (who)
		pthread_rwlock_wrlock(&rw);
	else
		pthread_rwlock_rdlock(&rw);
	x++;
	pthread_rwlock_unlock(&rw);
}

/* Three rounds. Both use it under a lock; the second thread gives the lock back that the
 * first has, and reads under it; the first writes as if it still had it. */
static void lent(int who)
{
	static _Thread_local int turns;
	turns++;
	if (turns == 1)
		touch(&m, row);
	else if (turns == 2 && !who)
		pthread_mutex_lock(&m);
	else if (turns == 3 && !who)
		touch(NULL, row);
	if (turns != 2 || !who)
		return;
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
	turns += row[0] < 0;
	pthread_mutex_unlock(&m);
}

/* Two rounds. First each thread has a field of its own in one line; then the first uses
 * another one, without ever having had a lock, and the second comes to it by the luck of
 * one. */
static void line(int who)
{
	static _Thread_local int turns;
	if (turns++ == 0) {
		row[who * 2]++;
		return;
	}
	if (who) {
		pthread_mutex_lock(&m);
		pthread_mutex_unlock(&m);
		touch(NULL, &row[1]);
		return;
	}
	row[0]++;
	touch(NULL, &row[1]);
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
}

/* Two fields with a lock each. */
static void fields(int who)
{
	touch(who ? &m : &n, who ? &pair.a : &pair.b);
	touch(who ? &n : &m, who ? &pair.b : &pair.a);
}

/* A block that is filled without a lock, handed over under one, and used up. */
static void publish(int who)
{
	long *block = who ? NULL : calloc(4, sizeof *block);
	if (block)
		block[1] = 5;
	pthread_mutex_lock(&m);
	if (!who) {
		published = block;
	} else {
		block = published;
		block[1] += block[0];
	}
	pthread_mutex_unlock(&m);
	if (who)
		free(block);
}

/* A large array is filled by one and looked through by two, under a lock and once more
 * without it. */
static void scan(int who)
{
	static _Alignas(128) long array[1 << 16];
	const int count = sizeof array / sizeof *array;
	for (int i = 0; !who && i < count; i++)
		array[i] = i;
	pthread_mutex_lock(&m);
	for (int i = 0; who && i < count; i++)
		x += array[i];
	pthread_mutex_unlock(&m);
	for (int i = 0; who && i < count; i++)
		pair.a += array[i];
}

/* A buffer is filled as a whole by one and looked through by two, most of it at one place
 * and the rest at another, by the luck of a lock. */
static void fill(int who)
{
	static _Alignas(128) char buffer[1 << 16];
	const int count = sizeof buffer, most = count - 256;
	if (!who)
		memset(buffer, rounds, sizeof buffer);
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	for (int i = 0; who && i < most; i++)
		x += buffer[i];
	for (int i = most; who && i < count; i++)
		pair.a += buffer[i];
}

/* What both have used under a lock is used without one when the program ends, which the
 * second thread has it do: a lock was in between, and nothing else. */
static void look(void)
{
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	touch(NULL, &x);
}

static void last(int who)
{
	if (!who)
		atexit(look);
	touch(&m, &x);
	if (who)
		exit(0);
}

static void take_turns(int who)
{
	for (int i = 0; i < rounds; i++) {
		invisible_await(&step, 2 * i + who);
		turn(who);
		invisible_advance(&step);
	}
}

static void one(void)
{
	take_turns(0);
}

static void two(void)
{
	take_turns(1);
}

/* By one thread after the other, each of which the main thread makes and joins
 * (RaceTrack, Figure 3). */
static void use(void)
{
	touch(NULL, &x);
}

static void reuse(void)
{
	for (int i = 0; i < rounds; i++) {
		touch(NULL, &x);
		run_threads(1, use);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*turn)(int who);
	} all[] = {{"bare", bare},     {"luck", luck},	     {"locked", locked},
		   {"fields", fields}, {"publish", publish}, {"reuse", NULL},
		   {"halves", halves}, {"last", last},	     {"line", line},
		   {"lent", lent},     {"readers", readers}, {"modes", modes},
		   {"scan", scan},     {"fill", fill},	     {"number", number_tells}};
	rounds = argc > 2 ? atoi(argv[2]) : 1;
	for (unsigned i = 0; argc > 1 && i < sizeof all / sizeof *all; i++) {
		if (strcmp(all[i].name, argv[1]) != 0)
			continue;
		turn = all[i].turn;
		if (turn)
			run_threads(2, one, two);
		else
			reuse();
		return 0;
	}
	return 2;
}
