/* SPDX-License-Identifier: MIT */
/*
 * The lock of a stream, which a program may take as it takes a mutex: flockfile() and
 * its kin. What the functions on streams do with it for themselves orders nothing.
 *
 * It is recursive; how often its holder has it is read from the C library's own words,
 * which the holder alone writes. The outermost pair counts.
 */
#include <stdio.h>
#include "runtime/abi.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/watch.h"
#include "runtime/sync.h"

/* As in the C library, where it is private. */
struct stream_lock {
	int word;
	int count;
	void *holder;
};

DH_REAL_WANT(flockfile);
DH_REAL_WANT(ftrylockfile);
DH_REAL_WANT(funlockfile);

static bool is_outermost(const FILE *f)
{
	return ((const struct stream_lock *)f->_lock)->count == 1;
}

static void locked(const FILE *f, uint64_t pc)
{
	struct dh_self *t = dh_watched();
	if (!t || !is_outermost(f))
		return;
	dh_sync_take(t, (uintptr_t)f);
	dh_held_add(t, (uintptr_t)f, true, pc);
}

DH_EXPORT void flockfile(FILE *f)
{
	DH_REAL(flockfile)(f);
	locked(f, DH_CALLER());
}

DH_EXPORT int ftrylockfile(FILE *f)
{
	int result = DH_REAL(ftrylockfile)(f);
	if (result == 0)
		locked(f, DH_CALLER());
	return result;
}

DH_EXPORT void funlockfile(FILE *f)
{
	struct dh_self *t = dh_watched();
	if (t && is_outermost(f)) {
		dh_sync_leave(t, (uintptr_t)f);
		dh_held_remove(t, (uintptr_t)f);
	}
	DH_REAL(funlockfile)(f);
}
