/* SPDX-License-Identifier: MIT */
/*
 * Semaphores, named and unnamed: who gets past one, or asks for its value, comes after
 * all posts so far. A named one is the same object for all threads of a process, by its
 * address.
 */
#define _GNU_SOURCE
#include <semaphore.h>
#include "runtime/abi.h"
#include "runtime/intercept/object.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"
#include "runtime/intercept/watch.h"
#include "runtime/sync.h"

DH_REAL_WANT(sem_init);
DH_REAL_WANT(sem_destroy);
DH_REAL_WANT(sem_post);
DH_REAL_WANT(sem_wait);
DH_REAL_WANT(sem_trywait);
DH_REAL_WANT(sem_timedwait);
DH_REAL_WANT(sem_clockwait);
DH_REAL_WANT(sem_getvalue);

static int passed(sem_t *s, int result, uint64_t pc)
{
	struct dh_self *t = dh_watched();
	if (result == 0 && t) {
		dh_object_wanted(s, pc);
		dh_sync_acquire(t, (uintptr_t)s);
		dh_object_used(s, pc);
	}
	return result;
}

DH_EXPORT int sem_init(sem_t *s, int shared, unsigned value)
{
	dh_object_made(s, sizeof *s, DH_CALLER());
	dh_sync_forget((uintptr_t)s);
	return DH_REAL(sem_init)(s, shared, value);
}

DH_EXPORT int sem_destroy(sem_t *s)
{
	dh_object_gone(s, sizeof *s, DH_CALLER());
	dh_sync_forget((uintptr_t)s);
	return DH_REAL(sem_destroy)(s);
}

DH_EXPORT int sem_post(sem_t *s)
{
	struct dh_self *t = dh_watched();
	if (t) {
		dh_object_wanted(s, DH_CALLER());
		dh_object_used(s, DH_CALLER());
		dh_sync_release_join(t, (uintptr_t)s);
	}
	return DH_REAL(sem_post)(s);
}

DH_EXPORT int sem_wait(sem_t *s)
{
	return passed(s, DH_REAL(sem_wait)(s), DH_CALLER());
}

DH_EXPORT int sem_trywait(sem_t *s)
{
	return passed(s, DH_REAL(sem_trywait)(s), DH_CALLER());
}

DH_EXPORT int sem_timedwait(sem_t *s, const struct timespec *until)
{
	return passed(s, DH_REAL(sem_timedwait)(s, until), DH_CALLER());
}

DH_EXPORT int sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *until)
{
	return passed(s, DH_REAL(sem_clockwait)(s, clock, until), DH_CALLER());
}

DH_EXPORT int sem_getvalue(sem_t *restrict s, int *restrict value)
{
	int result = passed(s, DH_REAL(sem_getvalue)(s, value), DH_CALLER());
	DH_WRITES_OBJECT(value, DH_CALLER());
	return result;
}
