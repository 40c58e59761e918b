/* SPDX-License-Identifier: MIT */
/*
 * C11 threads, mutexes and condition variables. The C library makes them of the same
 * parts as the POSIX ones, but does not call the POSIX functions by their names; so
 * they are intercepted on their own. call_once() is in once.c; thread-specific storage
 * needs nothing.
 */
#define _GNU_SOURCE
#include <threads.h>
#include "runtime/abi.h"
#include "runtime/access.h"
#include "runtime/intercept/handles.h"
#include "runtime/intercept/lifetime.h"
#include "runtime/intercept/mutex.h"
#include "runtime/intercept/object.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/wait.h"

DH_REAL_WANT(thrd_create);
DH_REAL_WANT(thrd_join);
DH_REAL_WANT(thrd_detach);
DH_REAL_WANT(mtx_init);
DH_REAL_WANT(mtx_destroy);
DH_REAL_WANT(mtx_lock);
DH_REAL_WANT(mtx_trylock);
DH_REAL_WANT(mtx_timedlock);
DH_REAL_WANT(mtx_unlock);
DH_REAL_WANT(cnd_init);
DH_REAL_WANT(cnd_destroy);
DH_REAL_WANT(cnd_signal);
DH_REAL_WANT(cnd_broadcast);
DH_REAL_WANT(cnd_wait);
DH_REAL_WANT(cnd_timedwait);

_Static_assert(sizeof(thrd_t) == sizeof(pthread_t), "one name for both kinds");
_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "one is made of the other");

/* ---- threads ---- */

static int run(void *arg)
{
	struct dh_birth mine = dh_birth_start(arg);
	return mine.function.c11(mine.arg);
}

DH_EXPORT int thrd_create(thrd_t *made, thrd_start_t function, void *arg)
{
	dh_runtime_init();
	dh_access_range((uintptr_t)made, sizeof *made, DH_ACCESS_WRITE, DH_CALLER());
	struct dh_birth *b = dh_birth_begin(DH_CALLER());
	if (!b)
		return DH_REAL(thrd_create)(made, function, arg);
	struct dh_thread_info *info = b->info;
	b->function.c11 = function;
	b->arg = arg;
	int result = DH_REAL(thrd_create)(made, run, b);
	dh_birth_end(b, info, result == thrd_success ? made : NULL, false);
	return result;
}

DH_EXPORT int thrd_join(thrd_t thread, int *value)
{
	struct dh_thread_info *info = dh_handle_find(thread);
	int result = DH_REAL(thrd_join)(thread, value);
	if (result != thrd_success)
		return result;
	dh_lifetime_joined(thread, info);
	if (value)
		dh_access_range((uintptr_t)value, sizeof *value, DH_ACCESS_WRITE,
				DH_CALLER());
	return result;
}

DH_EXPORT int thrd_detach(thrd_t thread)
{
	struct dh_thread_info *info = dh_handle_find(thread);
	int result = DH_REAL(thrd_detach)(thread);
	if (result == thrd_success)
		dh_lifetime_detached(thread, info);
	return result;
}

/* ---- mutexes ---- */

static pthread_mutex_t *mutex_of(mtx_t *m)
{
	return (pthread_mutex_t *)m;
}

static int locked(mtx_t *m, int result, uint64_t pc)
{
	if (result == thrd_success)
		dh_mutex_locked(mutex_of(m), pc);
	return result;
}

DH_EXPORT int mtx_init(mtx_t *m, int kind)
{
	int result = DH_REAL(mtx_init)(m, kind);
	if (result == thrd_success)
		dh_mutex_born(mutex_of(m), DH_CALLER());
	return result;
}

DH_EXPORT void mtx_destroy(mtx_t *m)
{
	DH_REAL(mtx_destroy)(m);
	dh_mutex_gone(mutex_of(m), DH_CALLER());
}

DH_EXPORT int mtx_lock(mtx_t *m)
{
	dh_mutex_expected(mutex_of(m));
	return locked(m, DH_REAL(mtx_lock)(m), DH_CALLER());
}

DH_EXPORT int mtx_trylock(mtx_t *m)
{
	return locked(m, DH_REAL(mtx_trylock)(m), DH_CALLER());
}

DH_EXPORT int mtx_timedlock(mtx_t *m, const struct timespec *until)
{
	return locked(m, DH_REAL(mtx_timedlock)(m, until), DH_CALLER());
}

DH_EXPORT int mtx_unlock(mtx_t *m)
{
	dh_mutex_unlocking(mutex_of(m));
	return DH_REAL(mtx_unlock)(m);
}

/* ---- condition variables ---- */

struct args {
	cnd_t *cond;
	mtx_t *mutex;
	const struct timespec *until;
};

static int call_wait(void *args)
{
	struct args *a = args;
	return DH_REAL(cnd_wait)(a->cond, a->mutex);
}

static int call_timedwait(void *args)
{
	struct args *a = args;
	return DH_REAL(cnd_timedwait)(a->cond, a->mutex, a->until);
}

DH_EXPORT int cnd_init(cnd_t *c)
{
	dh_object_made(c, sizeof *c, DH_CALLER());
	return DH_REAL(cnd_init)(c);
}

DH_EXPORT void cnd_destroy(cnd_t *c)
{
	dh_object_gone(c, sizeof *c, DH_CALLER());
	DH_REAL(cnd_destroy)(c);
}

DH_EXPORT int cnd_signal(cnd_t *c)
{
	dh_wait_used(c, DH_CALLER());
	return DH_REAL(cnd_signal)(c);
}

DH_EXPORT int cnd_broadcast(cnd_t *c)
{
	dh_wait_used(c, DH_CALLER());
	return DH_REAL(cnd_broadcast)(c);
}

DH_EXPORT int cnd_wait(cnd_t *c, mtx_t *m)
{
	dh_wait_used(c, DH_CALLER());
	struct args a = {.cond = c, .mutex = m};
	return dh_wait_on(mutex_of(m), call_wait, &a, DH_CALLER());
}

DH_EXPORT int cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *until)
{
	dh_wait_used(c, DH_CALLER());
	struct args a = {c, m, until};
	return dh_wait_on(mutex_of(m), call_timedwait, &a, DH_CALLER());
}
