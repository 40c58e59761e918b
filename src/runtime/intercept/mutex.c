/* SPDX-License-Identifier: MIT */
/*
 * Mutexes of all kinds, and spin locks.
 *
 * Who holds a mutex, and how often, is read from the C library's own words in it: those
 * are written by the holder only, and are right for every kind and after every failure.
 * Of a recursive mutex the outermost pair counts.
 */
#define _GNU_SOURCE
#include "runtime/intercept/mutex.h"
#include <errno.h>
#include "runtime/abi.h"
#include "runtime/intercept/linger.h"
#include "runtime/intercept/object.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/watch.h"
#include "runtime/resume.h"

DH_REAL_WANT(pthread_mutex_init);
DH_REAL_WANT(pthread_mutex_destroy);
DH_REAL_WANT(pthread_mutex_lock);
DH_REAL_WANT(pthread_mutex_trylock);
DH_REAL_WANT(pthread_mutex_timedlock);
DH_REAL_WANT(pthread_mutex_clocklock);
DH_REAL_WANT(pthread_mutex_unlock);
DH_REAL_WANT(pthread_spin_init);
DH_REAL_WANT(pthread_spin_destroy);
DH_REAL_WANT(pthread_spin_lock);
DH_REAL_WANT(pthread_spin_trylock);
DH_REAL_WANT(pthread_spin_unlock);

/* Bits of __kind, and of the futex word of the kinds that the kernel knows. */
enum {
	KIND_TYPE = 3, /* PTHREAD_MUTEX_*_NP */
	KIND_ROBUST = 16,
	KIND_INHERIT = 32,
	WORD_OWNER = 0x3fffffff,
};

/* ---- the C library's words ---- */

static bool is_recursive(const pthread_mutex_t *m)
{
	return (m->__data.__kind & KIND_TYPE) == PTHREAD_MUTEX_RECURSIVE_NP;
}

/* Locked more than once by the calling thread, which holds it. */
static bool is_inner(const pthread_mutex_t *m)
{
	return is_recursive(m) && m->__data.__count > 1;
}

static bool is_holder(const struct dh_self *t, const pthread_mutex_t *m)
{
	int me = (int)t->state->info->os_id;
	if (m->__data.__kind & (KIND_ROBUST | KIND_INHERIT))
		return (m->__data.__lock & WORD_OWNER) == me;
	return m->__data.__owner == me;
}

/* Does unlocking fail for a thread that does not hold it? */
static bool checks_holder(const pthread_mutex_t *m)
{
	int kind = m->__data.__kind;
	return (kind & (KIND_ROBUST | KIND_INHERIT)) || is_recursive(m) ||
	       (kind & KIND_TYPE) == PTHREAD_MUTEX_ERRORCHECK_NP;
}

/* ---- locking and unlocking ---- */

void dh_mutex_expected(const pthread_mutex_t *m)
{
	const struct dh_self *t = is_recursive(m) ? dh_watched() : NULL;
	if (!t || !is_holder(t, m))
		dh_linger(&m->__data.__lock, ~0u);
}

void dh_mutex_locked(pthread_mutex_t *m, uint64_t pc)
{
	struct dh_self *t = dh_watched();
	if (t && !is_inner(m))
		dh_object_locked(t, m, true, pc);
}

bool dh_mutex_unlocking(pthread_mutex_t *m)
{
	struct dh_self *t = dh_watched();
	if (!t)
		return false;
	if (DH_UNLIKELY(!is_holder(t, m))) {
		/* One thread locks, another unlocks: undefined, but works. The next
		 * one comes after both. */
		if (!checks_holder(m))
			dh_sync_release_join(t, (uintptr_t)m);
		return false;
	}
	if (is_inner(m))
		return false;
	dh_sync_unlocking(t, (uintptr_t)m);
	dh_held_remove(t, (uintptr_t)m);
	return true;
}

void dh_mutex_born(pthread_mutex_t *m, uint64_t pc)
{
	struct dh_self *t = dh_watched();
	dh_object_made(m, sizeof *m, pc);
	dh_sync_forget((uintptr_t)m);
	if (t)
		dh_sync_describe((uintptr_t)m, DH_SYNC_MUTEX, dh_site_of_call(t, pc),
				 NULL);
}

void dh_mutex_gone(pthread_mutex_t *m, uint64_t pc)
{
	dh_object_gone(m, sizeof *m, pc);
	dh_sync_forget((uintptr_t)m);
}

/* The holder of a robust mutex may have died: it is ours all the same. */
static int locked(pthread_mutex_t *m, int result, uint64_t pc)
{
	if (result == 0 || result == EOWNERDEAD)
		dh_mutex_locked(m, pc);
	return result;
}

DH_EXPORT int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
	int result = DH_REAL(pthread_mutex_init)(m, attr);
	if (result == 0)
		dh_mutex_born(m, DH_CALLER());
	return result;
}

DH_EXPORT int pthread_mutex_destroy(pthread_mutex_t *m)
{
	int result = DH_REAL(pthread_mutex_destroy)(m);
	if (result == 0)
		dh_mutex_gone(m, DH_CALLER());
	return result;
}

DH_EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
	dh_mutex_expected(m);
	return locked(m, DH_REAL(pthread_mutex_lock)(m), DH_CALLER());
}

DH_EXPORT int pthread_mutex_trylock(pthread_mutex_t *m)
{
	return locked(m, DH_REAL(pthread_mutex_trylock)(m), DH_CALLER());
}

DH_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until)
{
	return locked(m, DH_REAL(pthread_mutex_timedlock)(m, until), DH_CALLER());
}

DH_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock,
				      const struct timespec *until)
{
	return locked(m, DH_REAL(pthread_mutex_clocklock)(m, clock, until), DH_CALLER());
}

DH_EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
	dh_mutex_unlocking(m);
	return DH_REAL(pthread_mutex_unlock)(m);
}

DH_OLD_NAME(__pthread_mutex_init, pthread_mutex_init);
DH_OLD_NAME(__pthread_mutex_destroy, pthread_mutex_destroy);
DH_OLD_NAME(__pthread_mutex_lock, pthread_mutex_lock);
DH_OLD_NAME(__pthread_mutex_trylock, pthread_mutex_trylock);
DH_OLD_NAME(__pthread_mutex_unlock, pthread_mutex_unlock);

/* ---- spin locks ---- */

static int spin_locked(pthread_spinlock_t *s, int result, uint64_t pc)
{
	struct dh_self *t = dh_watched();
	if (result != 0 || !t)
		return result;
	bool again = dh_resume(t, (uintptr_t)s, true, pc);
	if (!again)
		dh_sync_take(t, (uintptr_t)s);
	dh_object_used_word((const void *)s, sizeof *s, pc);
	if (!again)
		dh_held_add(t, (uintptr_t)s, true, pc);
	return result;
}

DH_EXPORT int pthread_spin_init(pthread_spinlock_t *s, int shared)
{
	dh_object_made((const void *)s, sizeof *s, DH_CALLER());
	dh_sync_forget((uintptr_t)s);
	return DH_REAL(pthread_spin_init)(s, shared);
}

DH_EXPORT int pthread_spin_destroy(pthread_spinlock_t *s)
{
	dh_object_gone((const void *)s, sizeof *s, DH_CALLER());
	dh_sync_forget((uintptr_t)s);
	return DH_REAL(pthread_spin_destroy)(s);
}

DH_EXPORT int pthread_spin_lock(pthread_spinlock_t *s)
{
	return spin_locked(s, DH_REAL(pthread_spin_lock)(s), DH_CALLER());
}

DH_EXPORT int pthread_spin_trylock(pthread_spinlock_t *s)
{
	return spin_locked(s, DH_REAL(pthread_spin_trylock)(s), DH_CALLER());
}

DH_EXPORT int pthread_spin_unlock(pthread_spinlock_t *s)
{
	struct dh_self *t = dh_watched();
	if (t) {
		dh_sync_unlocking(t, (uintptr_t)s);
		dh_held_remove(t, (uintptr_t)s);
	}
	return DH_REAL(pthread_spin_unlock)(s);
}
