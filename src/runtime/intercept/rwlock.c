/* SPDX-License-Identifier: MIT */
/*
 * Reader-writer locks. A reader comes after the writers before it; a writer after
 * everybody. Whether an unlock is a writer's is read from the lock: the C library keeps
 * the kernel's number of the thread that writes there, and asks in the same way.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include "runtime/abi.h"
#include "runtime/intercept/linger.h"
#include "runtime/intercept/object.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/watch.h"
#include "runtime/sync.h"

DH_REAL_WANT(pthread_rwlock_init);
DH_REAL_WANT(pthread_rwlock_destroy);
DH_REAL_WANT(pthread_rwlock_rdlock);
DH_REAL_WANT(pthread_rwlock_tryrdlock);
DH_REAL_WANT(pthread_rwlock_timedrdlock);
DH_REAL_WANT(pthread_rwlock_clockrdlock);
DH_REAL_WANT(pthread_rwlock_wrlock);
DH_REAL_WANT(pthread_rwlock_trywrlock);
DH_REAL_WANT(pthread_rwlock_timedwrlock);
DH_REAL_WANT(pthread_rwlock_clockwrlock);
DH_REAL_WANT(pthread_rwlock_unlock);

/* Of the C library's word __readers: a writer, or a number of readers. */
enum { READERS_ANY = ~5 };

static int read_locked(pthread_rwlock_t *l, int result, uint64_t pc)
{
	struct dh_self *t = dh_watched();
	if (result == 0 && t)
		dh_object_locked(t, l, false, pc);
	return result;
}

static int write_locked(pthread_rwlock_t *l, int result, uint64_t pc)
{
	struct dh_self *t = dh_watched();
	if (result == 0 && t) {
		dh_object_wanted(l, pc);
		dh_sync_write_acquire(t, (uintptr_t)l);
		dh_object_used(l, pc);
		dh_held_add(t, (uintptr_t)l, true, pc);
	}
	return result;
}

DH_EXPORT int pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *attr)
{
	int result = DH_REAL(pthread_rwlock_init)(l, attr);
	struct dh_self *t = dh_watched();
	dh_sync_forget((uintptr_t)l);
	if (result == 0 && t) {
		dh_object_made(l, sizeof *l, DH_CALLER());
		dh_sync_describe((uintptr_t)l, DH_SYNC_RWLOCK,
				 dh_site_of_call(t, DH_CALLER()), NULL);
	}
	return result;
}

DH_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *l)
{
	int result = DH_REAL(pthread_rwlock_destroy)(l);
	if (result == 0) {
		dh_object_gone(l, sizeof *l, DH_CALLER());
		dh_sync_forget((uintptr_t)l);
	}
	return result;
}

DH_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
	dh_linger(&l->__data.__cur_writer, ~0u);
	return read_locked(l, DH_REAL(pthread_rwlock_rdlock)(l), DH_CALLER());
}

DH_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *l)
{
	return read_locked(l, DH_REAL(pthread_rwlock_tryrdlock)(l), DH_CALLER());
}

DH_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *l,
					 const struct timespec *until)
{
	return read_locked(l, DH_REAL(pthread_rwlock_timedrdlock)(l, until), DH_CALLER());
}

DH_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t clock,
					 const struct timespec *until)
{
	return read_locked(l, DH_REAL(pthread_rwlock_clockrdlock)(l, clock, until),
			   DH_CALLER());
}

DH_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
	dh_linger(&l->__data.__readers, READERS_ANY);
	return write_locked(l, DH_REAL(pthread_rwlock_wrlock)(l), DH_CALLER());
}

DH_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *l)
{
	return write_locked(l, DH_REAL(pthread_rwlock_trywrlock)(l), DH_CALLER());
}

DH_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *l,
					 const struct timespec *until)
{
	return write_locked(l, DH_REAL(pthread_rwlock_timedwrlock)(l, until),
			    DH_CALLER());
}

DH_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t clock,
					 const struct timespec *until)
{
	return write_locked(l, DH_REAL(pthread_rwlock_clockwrlock)(l, clock, until),
			    DH_CALLER());
}

DH_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
	struct dh_self *t = dh_watched();
	if (t) {
		/* Another thread's number is never ours, whenever it is written. */
		int writer = __atomic_load_n(&l->__data.__cur_writer, __ATOMIC_RELAXED);
		if (writer == (int)t->state->info->os_id)
			dh_sync_write_release(t, (uintptr_t)l);
		else
			dh_sync_read_unlocking(t, (uintptr_t)l);
		dh_held_remove(t, (uintptr_t)l);
	}
	return DH_REAL(pthread_rwlock_unlock)(l);
}

DH_OLD_NAME(__pthread_rwlock_init, pthread_rwlock_init);
DH_OLD_NAME(__pthread_rwlock_destroy, pthread_rwlock_destroy);
DH_OLD_NAME(__pthread_rwlock_rdlock, pthread_rwlock_rdlock);
DH_OLD_NAME(__pthread_rwlock_tryrdlock, pthread_rwlock_tryrdlock);
DH_OLD_NAME(__pthread_rwlock_wrlock, pthread_rwlock_wrlock);
DH_OLD_NAME(__pthread_rwlock_trywrlock, pthread_rwlock_trywrlock);
DH_OLD_NAME(__pthread_rwlock_unlock, pthread_rwlock_unlock);
