/* SPDX-License-Identifier: MIT */
/* See ways.h. The places are addresses of memory that has no other use. */
#include "runtime/ways.h"
#include <sys/stat.h>
#include "base/kernel.h"
#include "base/lock.h"
#include "base/map.h"
#include "base/mem.h"
#include "runtime/intercept/watch.h"
#include "runtime/sync.h"

struct places {
	uint64_t at[2]; /* not used but for their addresses */
};

static struct dh_map ways; /* under the lock */
static struct dh_lock lock;
static bool files; /* atomic: some way is a file */
DH_LOCK_AROUND_FORK(lock, DH_FORK_OUTER);

/* The place's address; 0 where the way is not known and not to be made. */
static uintptr_t find(enum dh_way way, uint64_t a, uint64_t b, enum dh_place place,
		      bool make)
{
	uint64_t key = dh_mix(dh_mix(dh_mix((uint64_t)way) ^ a) ^ b);
	dh_lock(&lock);
	uint64_t *known = make ? dh_map_put(&ways, key, NULL) : dh_map_get(&ways, key);
	if (known && !*known)
		*known = (uintptr_t)dh_mem_alloc(sizeof(struct places));
	uintptr_t at = known ? (uintptr_t)*known : 0;
	dh_unlock(&lock);
	return at ? (uintptr_t) & ((struct places *)at)->at[place] : 0;
}

void dh_way_release(enum dh_way way, uint64_t a, uint64_t b, enum dh_place place)
{
	struct dh_self *t = dh_watched();
	if (!t)
		return;
	dh_enter_runtime(t);
	dh_sync_release_join(t, find(way, a, b, place, true));
	dh_leave_runtime(t);
}

void dh_way_acquire(enum dh_way way, uint64_t a, uint64_t b, enum dh_place place)
{
	struct dh_self *t = dh_watched();
	if (!t)
		return;
	dh_enter_runtime(t);
	dh_sync_acquire(t, find(way, a, b, place, true));
	dh_leave_runtime(t);
}

/* ---- files ---- */

/* The file's places; NULL where it has none, or there is no such descriptor. */
static struct places *find_file(int fd, bool make)
{
	struct stat st;
	if (DH_KERNEL_2(__NR_fstat, fd, &st) < 0)
		return NULL;
	__atomic_store_n(&files, true, __ATOMIC_RELAXED);
	return (struct places *)find(DH_WAY_FILE, st.st_dev, st.st_ino, DH_PLACE_FIRST, make);
}

/* Sets of places. Messages go by the first. */
enum { WRITTEN = 1, READ = 2, BOTH = WRITTEN | READ };

static void pass_file(int fd, unsigned set, bool make,
		      void (*f)(struct dh_self *t, uintptr_t place))
{
	struct dh_self *t = dh_watched();
	if (!t)
		return;
	dh_enter_runtime(t);
	struct places *p = find_file(fd, make);
	for (unsigned i = 0; p && i < 2; i++)
		if (set >> i & 1)
			f(t, (uintptr_t)&p->at[i]);
	dh_leave_runtime(t);
}

void dh_file_release(int fd)
{
	pass_file(fd, WRITTEN, true, dh_sync_release_join);
}

void dh_file_acquire(int fd)
{
	pass_file(fd, WRITTEN, true, dh_sync_acquire);
}

void dh_file_heard(int fd)
{
	if (DH_UNLIKELY(__atomic_load_n(&files, __ATOMIC_RELAXED)))
		pass_file(fd, WRITTEN, false, dh_sync_acquire);
}

/* ---- their locks ---- */

/* How each descriptor has taken them, as the set of places that it releases then. */
static struct dh_map held; /* under the lock */

static uint64_t held_key(int fd, enum dh_file_lock kind)
{
	return (uint64_t)(unsigned)fd << 1 | kind;
}

/* 0: it has not taken it. */
static unsigned held_by(int fd, enum dh_file_lock kind)
{
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	dh_lock(&lock);
	const uint64_t *set = dh_map_get(&held, held_key(fd, kind));
	const unsigned found = set ? (unsigned)*set : 0;
	dh_unlock(&lock);
	dh_leave_runtime(t);
	return found;
}

static void note_held(int fd, enum dh_file_lock kind, unsigned set)
{
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	dh_lock(&lock);
	if (set)
		*dh_map_put(&held, held_key(fd, kind), NULL) = set;
	else
		dh_map_remove(&held, held_key(fd, kind));
	dh_unlock(&lock);
	dh_leave_runtime(t);
}

void dh_file_locking(int fd, enum dh_file_lock kind, enum dh_file_held how)
{
	unsigned set = held_by(fd, kind);
	if (!set && how == DH_HELD_NOT)
		set = BOTH;
	if (set)
		pass_file(fd, set, true, dh_sync_release_join);
}

void dh_file_locked(int fd, enum dh_file_lock kind, enum dh_file_held how)
{
	static const unsigned sets[] = {[DH_HELD_FOR_READING] = READ,
					[DH_HELD_FOR_WRITING] = WRITTEN};
	note_held(fd, kind, sets[how]);
	if (how != DH_HELD_NOT)
		pass_file(fd, how == DH_HELD_FOR_READING ? WRITTEN : BOTH, true,
			  dh_sync_acquire);
}

void dh_file_closing(int fd)
{
	if (DH_LIKELY(!__atomic_load_n(&files, __ATOMIC_RELAXED)))
		return;
	const unsigned set = held_by(fd, DH_LOCK_FLOCK) | held_by(fd, DH_LOCK_OPEN_FILE);
	pass_file(fd, set ? set : BOTH, false, dh_sync_release_join);
	if (set) {
		note_held(fd, DH_LOCK_FLOCK, 0);
		note_held(fd, DH_LOCK_OPEN_FILE, 0);
	}
}
