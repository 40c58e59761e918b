/* SPDX-License-Identifier: MIT */
/*
 * See debugger.h. deadheat_found is read by deadheat.gdb: a count, then records of
 * RECORD words,
 *
 *   serial, address, bytes, 0, SIDE second, SIDE first
 *
 * a SIDE being flags (report/wire.h), thread, the kernel's number of the thread, depth,
 * and return addresses.
 */
#include "runtime/debugger.h"
#include "base/lock.h"
#include "runtime/abi.h"
#include "runtime/environment.h"

enum { RACES = 64, FRAMES = 28, SIDE = 4 + FRAMES, RECORD = 4 + 2 * SIDE };

DH_EXPORT extern unsigned long deadheat_found[1 + RACES * RECORD];
unsigned long deadheat_found[1 + RACES * RECORD];

static bool on;
static struct dh_lock lock; /* for what follows, and deadheat_found */
DH_LOCK_AROUND_FORK(lock, DH_FORK_OUTER);
static uint64_t counted; /* races that count, as the helper has said last */

/* Not empty for the compiler, which would do without the calls. */
DH_EXPORT void deadheat_on_race(unsigned long serial);
DH_NOINLINE void deadheat_on_race(unsigned long serial)
{
	__asm__ volatile("" ::"r"(serial) : "memory");
}

DH_EXPORT void deadheat_on_end(unsigned long count);
DH_NOINLINE void deadheat_on_end(unsigned long count)
{
	__asm__ volatile("" ::"r"(count) : "memory");
}

void dh_debugger_init(void)
{
	on = dh_environment_get("DEADHEAT_BREAK") != NULL;
}

static void side(unsigned long *to, const struct dh_race_side *s)
{
	uint64_t pcs[FRAMES];
	uint32_t depth = dh_context_walk(dh_contexts, s->site, pcs, FRAMES);
	to[0] = s->flags;
	to[1] = s->thread ? s->thread->id : (unsigned long)-1;
	to[2] = s->thread ? s->thread->os_id : 0;
	to[3] = DH_MIN(depth, (uint32_t)FRAMES);
	for (uint32_t i = 0; i < to[3]; i++)
		to[4 + i] = pcs[i];
}

static void note(const struct dh_race_facts *f)
{
	unsigned long n = deadheat_found[0];
	if (n == RACES)
		return;
	unsigned long *to = &deadheat_found[1 + n * RECORD];
	to[0] = f->serial;
	to[1] = f->address;
	to[2] = f->size;
	side(to + 4, &f->second);
	side(to + 4 + SIDE, &f->first);
	deadheat_found[0] = n + 1;
}

void dh_debugger_race(const struct dh_race_facts *f)
{
	if (DH_LIKELY(!on))
		return;
	dh_lock(&lock);
	uint64_t now = counted + 1; /* without the helper all count */
	dh_report_flush(&now);
	bool stands = now > counted;
	counted = now;
	if (stands)
		note(f);
	dh_unlock(&lock);
	if (stands)
		deadheat_on_race(f->serial);
}

void dh_debugger_end(uint64_t standing)
{
	if (on)
		deadheat_on_end(standing);
}
