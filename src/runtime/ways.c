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

/* The file's place; 0 where it has none, or there is no such descriptor. */
static uintptr_t find_file(int fd, bool make)
{
	struct stat st;
	if (DH_KERNEL_2(__NR_fstat, fd, &st) < 0)
		return 0;
	__atomic_store_n(&files, true, __ATOMIC_RELAXED);
	return find(DH_WAY_FILE, st.st_dev, st.st_ino, DH_PLACE_FIRST, make);
}

static void release_file(int fd, bool make)
{
	struct dh_self *t = dh_watched();
	if (!t)
		return;
	dh_enter_runtime(t);
	uintptr_t place = find_file(fd, make);
	if (place)
		dh_sync_release_join(t, place);
	dh_leave_runtime(t);
}

void dh_file_release(int fd)
{
	release_file(fd, true);
}

void dh_file_acquire(int fd)
{
	struct dh_self *t = dh_watched();
	if (!t)
		return;
	dh_enter_runtime(t);
	uintptr_t place = find_file(fd, true);
	if (place)
		dh_sync_acquire(t, place);
	dh_leave_runtime(t);
}

void dh_file_closing(int fd)
{
	if (DH_UNLIKELY(__atomic_load_n(&files, __ATOMIC_RELAXED)))
		release_file(fd, false);
}
