/* SPDX-License-Identifier: MIT */
/*
 * Condition variables; see wait.h. Signalling and broadcasting order nothing.
 *
 * The C library has two generations of these functions, for two kinds of objects, and
 * programs mean the newer one. A program that was linked against a library that has all
 * of them asks for no generation, and where that library now has only some the C library
 * would give it the rest of the older one. So all are here.
 */
#define _GNU_SOURCE
#include "runtime/abi.h"
#include "runtime/intercept/mutex.h"
#include "runtime/intercept/object.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/wait.h"
#include "runtime/intercept/watch.h"

DH_REAL_WANT_VERSION(pthread_cond_wait, "GLIBC_2.3.2");
DH_REAL_WANT_VERSION(pthread_cond_timedwait, "GLIBC_2.3.2");
DH_REAL_WANT_VERSION(pthread_cond_signal, "GLIBC_2.3.2");
DH_REAL_WANT_VERSION(pthread_cond_broadcast, "GLIBC_2.3.2");
DH_REAL_WANT_VERSION(pthread_cond_init, "GLIBC_2.3.2");
DH_REAL_WANT_VERSION(pthread_cond_destroy, "GLIBC_2.3.2");
DH_REAL_WANT(pthread_cond_clockwait);

/* ---- around the wait ---- */

struct wait {
	struct wait *outer;
	pthread_mutex_t *mutex;
	uint64_t pc;
	int (*call)(void *);
	void *args;
};

/* The wait that the thread is in; handlers of signals may wait within it. */
static __thread struct wait *present __attribute__((tls_model("initial-exec")));

static void end(struct wait *w)
{
	present = w->outer;
	dh_mutex_locked(w->mutex, w->pc);
}

/* Cancelled: the C library has locked the mutex again. */
DH_UNWIND_ROUTINE(dh_wait_unwound);
DH_UNWIND_ROUTINE(dh_wait_unwound)
{
	(void)version, (void)kind, (void)exception, (void)context;
	if ((actions & DH_UNWIND_CLEANUP) && present)
		end(present);
	return DH_UNWIND_GO_ON;
}

static DH_UNWOUND int counted_wait(struct wait *w)
{
	DH_ON_UNWIND(dh_wait_unwound);
	present = w;
	int result = w->call(w->args);
	end(w);
	return result;
}

int dh_wait_on(pthread_mutex_t *m, int (*call)(void *args), void *args, uint64_t pc)
{
	struct wait w = {present, m, pc, call, args};
	return dh_mutex_unlocking(m) ? counted_wait(&w) : call(args);
}

/* ---- the functions ---- */

struct args {
	pthread_cond_t *cond;
	pthread_mutex_t *mutex;
	clockid_t clock;
	const struct timespec *until;
};

static int call_wait(void *args)
{
	struct args *a = args;
	return DH_REAL(pthread_cond_wait)(a->cond, a->mutex);
}

static int call_timedwait(void *args)
{
	struct args *a = args;
	return DH_REAL(pthread_cond_timedwait)(a->cond, a->mutex, a->until);
}

static int call_clockwait(void *args)
{
	struct args *a = args;
	return DH_REAL(pthread_cond_clockwait)(a->cond, a->mutex, a->clock, a->until);
}

/* Order comes with the mutex, so that of who made the condition shows in either. */
void dh_wait_used(const void *cond, uint64_t pc)
{
	if (!dh_watched())
		return;
	dh_object_wanted(cond, pc);
	dh_object_used(cond, pc);
}

DH_EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	dh_wait_used(c, DH_CALLER());
	struct args a = {.cond = c, .mutex = m};
	return dh_wait_on(m, call_wait, &a, DH_CALLER());
}

DH_EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
				     const struct timespec *until)
{
	dh_wait_used(c, DH_CALLER());
	struct args a = {.cond = c, .mutex = m, .until = until};
	return dh_wait_on(m, call_timedwait, &a, DH_CALLER());
}

DH_EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m,
				     clockid_t clock, const struct timespec *until)
{
	dh_wait_used(c, DH_CALLER());
	struct args a = {c, m, clock, until};
	return dh_wait_on(m, call_clockwait, &a, DH_CALLER());
}

DH_EXPORT int pthread_cond_signal(pthread_cond_t *c)
{
	dh_wait_used(c, DH_CALLER());
	return DH_REAL(pthread_cond_signal)(c);
}

DH_EXPORT int pthread_cond_broadcast(pthread_cond_t *c)
{
	dh_wait_used(c, DH_CALLER());
	return DH_REAL(pthread_cond_broadcast)(c);
}

DH_EXPORT int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr)
{
	dh_object_made(c, sizeof *c, DH_CALLER());
	return DH_REAL(pthread_cond_init)(c, attr);
}

DH_EXPORT int pthread_cond_destroy(pthread_cond_t *c)
{
	dh_object_gone(c, sizeof *c, DH_CALLER());
	return DH_REAL(pthread_cond_destroy)(c);
}
