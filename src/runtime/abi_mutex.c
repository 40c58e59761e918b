/* SPDX-License-Identifier: MIT */
/*
 * The annotations by which programs describe locks of their own making.
 *
 * Between pre_ and post_ runs the lock's own code: its accesses and its atomic
 * operations are not looked at, as the annotation says what they amount to. A divert
 * within is code of the program again.
 */
#include "runtime/abi.h"
#include "runtime/annotate.h"

/* The interface's numbers. */
enum flags {
	LINKER_INIT = 1 << 0,
	READ_LOCK = 1 << 3,
	TRY_LOCK_FAILED = 1 << 5,
	RECURSIVE_LOCK = 1 << 6,
	RECURSIVE_UNLOCK = 1 << 7,
};

static void own_code_begins(void)
{
	dh_annotate_ignore_begin();
	dh_annotate_ignore_sync_begin();
}

static void own_code_ends(void)
{
	dh_annotate_ignore_sync_end();
	dh_annotate_ignore_end();
}

static enum dh_lock_mode mode_of(unsigned flags)
{
	return flags & READ_LOCK ? DH_LOCK_READ : DH_LOCK_WRITE;
}

DH_EXPORT void __tsan_mutex_create(void *m, unsigned flags);
void __tsan_mutex_create(void *m, unsigned flags)
{
	(void)flags;
	dh_annotate_lock_born((uintptr_t)m, DH_CALLER());
}

/* One that the linker initialised may be used on after that. */
DH_EXPORT void __tsan_mutex_destroy(void *m, unsigned flags);
void __tsan_mutex_destroy(void *m, unsigned flags)
{
	if (!(flags & LINKER_INIT))
		dh_annotate_lock_gone((uintptr_t)m);
}

DH_EXPORT void __tsan_mutex_pre_lock(void *m, unsigned flags);
void __tsan_mutex_pre_lock(void *m, unsigned flags)
{
	(void)m, (void)flags;
	own_code_begins();
}

DH_EXPORT void __tsan_mutex_post_lock(void *m, unsigned flags, int recursion);
void __tsan_mutex_post_lock(void *m, unsigned flags, int recursion)
{
	own_code_ends();
	if (flags & TRY_LOCK_FAILED)
		return;
	int times = (flags & RECURSIVE_LOCK) && recursion > 0 ? recursion : 1;
	dh_annotate_locked((uintptr_t)m, mode_of(flags), times, DH_CALLER());
}

DH_EXPORT int __tsan_mutex_pre_unlock(void *m, unsigned flags);
int __tsan_mutex_pre_unlock(void *m, unsigned flags)
{
	int times = 1;
	if (flags & RECURSIVE_UNLOCK)
		times = dh_annotate_unlocking_all((uintptr_t)m, mode_of(flags));
	else
		dh_annotate_unlocking((uintptr_t)m, mode_of(flags));
	own_code_begins();
	return times;
}

DH_EXPORT void __tsan_mutex_post_unlock(void *m, unsigned flags);
void __tsan_mutex_post_unlock(void *m, unsigned flags)
{
	(void)m, (void)flags;
	own_code_ends();
}

DH_EXPORT void __tsan_mutex_pre_signal(void *m, unsigned flags);
void __tsan_mutex_pre_signal(void *m, unsigned flags)
{
	(void)m, (void)flags;
	own_code_begins();
}

DH_EXPORT void __tsan_mutex_post_signal(void *m, unsigned flags);
void __tsan_mutex_post_signal(void *m, unsigned flags)
{
	(void)m, (void)flags;
	own_code_ends();
}

DH_EXPORT void __tsan_mutex_pre_divert(void *m, unsigned flags);
void __tsan_mutex_pre_divert(void *m, unsigned flags)
{
	(void)m, (void)flags;
	own_code_ends();
}

DH_EXPORT void __tsan_mutex_post_divert(void *m, unsigned flags);
void __tsan_mutex_post_divert(void *m, unsigned flags)
{
	(void)m, (void)flags;
	own_code_begins();
}
