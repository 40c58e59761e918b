/* SPDX-License-Identifier: MIT */
/*
 * The log of locks held, read while it is written. A thread takes two locks, then makes a
 * record, then says its clock, over and over, with a third lock held all along in every
 * other stretch. Whoever asks for a clock that was said gets these locks, or that it is
 * not known any more: never others, and never fewer.
 */
#include "runtime/access.h"
#include "runtime/lock_log.h"
#include "runtime/race.h"
#include "../unit/dice.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 300000, STRETCH = 700, ANSWERS = 1000 };

static char locks[3];
static uint32_t said; /* atomic: a clock, and in its highest bit the third lock */
static struct dh_thread_info *info;
static unsigned known; /* atomic: answers */
static unsigned wrong;

void dh_race_found(struct dh_self *t, uintptr_t granule, unsigned mask, dh_record mine,
		   unsigned flags, dh_record other, bool other_write)
{
	(void)t, (void)granule, (void)mask, (void)mine, (void)flags, (void)other;
	(void)other_write;
}

static void take(unsigned i)
{
	dh_held_add(dh_thread_self(), (uintptr_t)&locks[i], true, 0x1000 + i);
}

static void give_back(unsigned i)
{
	dh_thread_tick(dh_thread_self());
	dh_held_remove(dh_thread_self(), (uintptr_t)&locks[i]);
}

static void *write_log(void *arg)
{
	struct dh_self *t = dh_thread_self();
	dh_thread_attach(info);
	for (uint32_t i = 0;
	     i < ROUNDS || __atomic_load_n(&known, __ATOMIC_RELAXED) < ANSWERS; i++) {
		uint32_t third = i / STRETCH % 2;
		if (i % STRETCH == 0 && third)
			take(2);
		take(0);
		take(1);
		t->dirty = true;
		__atomic_store_n(&said, dh_record_clock(t->epoch) | third << 31,
				 __ATOMIC_RELEASE);
		give_back(1);
		give_back(0);
		if (i % STRETCH == STRETCH - 1 && third)
			give_back(2);
		if (i % STRETCH == STRETCH / 2)
			sched_yield(); /* the reader may have nowhere to run */
	}
	__atomic_store_n(&said, UINT32_MAX, __ATOMIC_RELEASE);
	dh_thread_detach_self();
	return arg;
}

static void ask(uint32_t what)
{
	struct dh_lock_log_answer a;
	uint32_t third = what >> 31;
	if (!dh_lock_log_find(info->slot, what & ~(1u << 31), 0, &a))
		return;
	unsigned mask = 0;
	for (uint32_t i = 0; i < a.sure_count; i++)
		mask |= 1u << ((char *)a.sure[i].lock - locks);
	__atomic_fetch_add(&known, 1, __ATOMIC_RELAXED);
	wrong += a.sure_count != 2 + third || a.maybe_count || mask != (third ? 7 : 3);
}

int main(void)
{
	pthread_t writer;
	dh_threads_init();
	info = dh_thread_create(0);
	if (pthread_create(&writer, NULL, write_log, NULL))
		abort();
	uint32_t what;
	while ((what = __atomic_load_n(&said, __ATOMIC_ACQUIRE)) != UINT32_MAX)
		if (what)
			ask(what);
	pthread_join(writer, NULL);
	dh_thread_joined(info);
	printf("1..1\n%s 1 - no answer was wrong (%u of %u)\n", wrong ? "not ok" : "ok",
	       wrong, known);
	return 0;
}
