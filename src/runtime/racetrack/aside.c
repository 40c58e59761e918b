/* SPDX-License-Identifier: MIT */
/* See aside.h. Stretches are of a few sizes, those given back in a ring for each. */
#include "runtime/racetrack/aside.h"
#include "base/lock.h"
#include "base/mem.h"
#include "runtime/shadow.h"

enum {
	STEP = 16, /* bytes from size to size */
	SIZES = DH_RT_LINE / STEP,
	SOME = 1 << 16, /* addresses taken at a time */
	RESTING = 256,	/* stretches that wait before one is used again */
};

struct stock {
	uintptr_t at, end; /* not used yet */
	uintptr_t *ring;   /* given back, from `first` on */
	uint32_t room, first, waiting;
};

static struct dh_lock lock;
DH_LOCK_AROUND_FORK(lock, DH_FORK_TABLES);
static struct stock stocks[SIZES]; /* under lock */
static uintptr_t beyond = SOME;	   /* under lock: all that was taken */

void dh_rt_aside_init(void)
{
	dh_rt_fields_init();
	dh_shadow_find(beyond | DH_SHADOW_ASIDE, true);
	dh_rt_field(beyond, true);
}

static uint32_t number_of(uint32_t size)
{
	return (size - 1) / STEP;
}

static uintptr_t take_new(struct stock *s, uint32_t size)
{
	if (s->at + size > s->end) {
		s->at = beyond;
		s->end = beyond += SOME;
	}
	uintptr_t at = s->at;
	s->at += size;
	return at;
}

static uintptr_t take_rested(struct stock *s)
{
	uintptr_t at = s->ring[s->first];
	s->first = (s->first + 1) % s->room;
	s->waiting--;
	return at;
}

uintptr_t dh_rt_aside_take(uint32_t size)
{
	uint32_t n = number_of(size);
	dh_lock(&lock);
	bool used = stocks[n].waiting > RESTING;
	uintptr_t at =
	    used ? take_rested(&stocks[n]) : take_new(&stocks[n], (n + 1) * STEP);
	dh_unlock(&lock);
	if (used)
		dh_rt_aside_clear(at, at + size);
	return at;
}

static void grow(struct stock *s)
{
	uint32_t room = s->room ? 2 * s->room : 2 * RESTING;
	uintptr_t *ring = dh_mem_alloc(room * sizeof *ring);
	for (uint32_t i = 0; i < s->waiting; i++)
		ring[i] = s->ring[(s->first + i) % s->room];
	dh_mem_free(s->ring, s->room * sizeof *ring);
	s->ring = ring;
	s->room = room;
	s->first = 0;
}

void dh_rt_aside_give(uintptr_t at, uint32_t size)
{
	struct stock *s = &stocks[number_of(size)];
	dh_rt_aside_clear(at, at + size);
	dh_lock(&lock);
	if (s->waiting == s->room)
		grow(s);
	s->ring[(s->first + s->waiting++) % s->room] = at;
	dh_unlock(&lock);
}

void dh_rt_aside_clear(uintptr_t from, uintptr_t to)
{
	dh_shadow_wipe(from | DH_SHADOW_ASIDE, to - from);
	dh_rt_fields_clear(from, to, NULL);
}
