/* SPDX-License-Identifier: MIT */
/*
 * POSIX threads: creation, join, detachment, names. pthread_exit() and pthread_cancel()
 * need nothing: however a thread ends, lifetime.c sees it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include "runtime/abi.h"
#include "runtime/access.h"
#include "runtime/intercept/handles.h"
#include "runtime/intercept/lifetime.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/sigsend.h"
#include "runtime/intercept/touch.h"
#include "runtime/intercept/watch.h"

DH_REAL_WANT(pthread_create);
DH_REAL_WANT(pthread_join);
DH_REAL_WANT(pthread_tryjoin_np);
DH_REAL_WANT(pthread_timedjoin_np);
DH_REAL_WANT(pthread_clockjoin_np);
DH_REAL_WANT(pthread_detach);
DH_REAL_WANT(pthread_kill);
DH_REAL_WANT(pthread_setname_np);
DH_REAL_WANT(pthread_getname_np);
DH_REAL_WANT(prctl);

/* ---- creation ---- */

enum {
	SMALL_STACK = 512 << 10, /* smaller ones get */
	EXTRA_STACK = 64 << 10, /* this much more, for our frames and thread-local data */
};

/* The attributes with a roomier stack, where the program asked for a small one and
 * does not bring its own memory. A size of 0 is none: the default. */
static const pthread_attr_t *with_room(const pthread_attr_t *attr, pthread_attr_t *copy)
{
	void *low;
	size_t size;
	if (!attr || pthread_attr_getstack(attr, &low, &size) != 0 ||
	    size == 0 || size >= SMALL_STACK || (uintptr_t)low + size != 0)
		return attr;
	*copy = *attr; /* shares what attr points to; so it is never destroyed */
	return pthread_attr_setstacksize(copy, size + EXTRA_STACK) == 0 ? copy : attr;
}

static bool born_detached(const pthread_attr_t *attr)
{
	int state;
	return attr && pthread_attr_getdetachstate(attr, &state) == 0 &&
	       state == PTHREAD_CREATE_DETACHED;
}

static void *run(void *arg)
{
	struct dh_birth mine = dh_birth_start(arg);
	return mine.function.posix(mine.arg);
}

DH_EXPORT int pthread_create(pthread_t *made, const pthread_attr_t *attr,
			     void *(*function)(void *), void *arg)
{
	dh_runtime_init();
	dh_access_range((uintptr_t)made, sizeof *made, DH_ACCESS_WRITE, DH_CALLER());
	struct dh_birth *b = dh_birth_begin(DH_CALLER());
	if (!b)
		return DH_REAL(pthread_create)(made, attr, function, arg);
	struct dh_thread_info *info = b->info;
	bool detached = born_detached(attr);
	pthread_attr_t copy;
	b->function.posix = function;
	b->arg = arg;
	info->joined = detached;
	int result = DH_REAL(pthread_create)(made, with_room(attr, &copy), run, b);
	dh_birth_end(b, info, result == 0 ? made : NULL, detached);
	return result;
}

/* ---- the end of others ---- */

static int joined(pthread_t thread, struct dh_thread_info *info, void **value, int result,
		  uint64_t pc)
{
	if (result == 0) {
		dh_lifetime_joined(thread, info);
		if (value)
			dh_access_range((uintptr_t)value, sizeof *value, DH_ACCESS_WRITE,
					pc);
	}
	return result;
}

DH_EXPORT int pthread_join(pthread_t thread, void **value)
{
	struct dh_thread_info *info = dh_handle_find(thread);
	int result = DH_REAL(pthread_join)(thread, value);
	return joined(thread, info, value, result, DH_CALLER());
}

DH_EXPORT int pthread_tryjoin_np(pthread_t thread, void **value)
{
	struct dh_thread_info *info = dh_handle_find(thread);
	int result = DH_REAL(pthread_tryjoin_np)(thread, value);
	return joined(thread, info, value, result, DH_CALLER());
}

DH_EXPORT int pthread_timedjoin_np(pthread_t thread, void **value,
				   const struct timespec *until)
{
	struct dh_thread_info *info = dh_handle_find(thread);
	int result = DH_REAL(pthread_timedjoin_np)(thread, value, until);
	return joined(thread, info, value, result, DH_CALLER());
}

DH_EXPORT int pthread_clockjoin_np(pthread_t thread, void **value, clockid_t clock,
				   const struct timespec *until)
{
	struct dh_thread_info *info = dh_handle_find(thread);
	int result = DH_REAL(pthread_clockjoin_np)(thread, value, clock, until);
	return joined(thread, info, value, result, DH_CALLER());
}

DH_EXPORT int pthread_detach(pthread_t thread)
{
	struct dh_thread_info *info = dh_handle_find(thread);
	int result = DH_REAL(pthread_detach)(thread);
	if (result == 0)
		dh_lifetime_detached(thread, info);
	return result;
}

/* Who learns that a thread is dead comes after all that it did. */
DH_EXPORT int pthread_kill(pthread_t thread, int signal)
{
	struct dh_thread_info *info = dh_handle_find(thread);
	dh_signal_sending(signal);
	int result = DH_REAL(pthread_kill)(thread, signal);
	if (result == ESRCH && info && dh_watched())
		dh_thread_seen_dead(info);
	return result;
}

/* ---- names ---- */

static void name_it(struct dh_thread_info *info, const char *name)
{
	size_t n = 0;
	for (; info && name[n] && n < DH_NAME_MAX - 1; n++)
		info->name[n] = name[n];
	if (info)
		info->name[n] = 0;
}

DH_EXPORT int pthread_setname_np(pthread_t thread, const char *name)
{
	struct dh_thread_info *info = dh_handle_find(thread);
	dh_reads_text(name, DH_CALLER());
	int result = DH_REAL(pthread_setname_np)(thread, name);
	if (result == 0)
		name_it(info, name);
	return result;
}

DH_EXPORT int pthread_getname_np(pthread_t thread, char *to, size_t room)
{
	uint64_t pc = DH_CALLER();
	int result = DH_REAL(pthread_getname_np)(thread, to, room);
	if (result == 0)
		dh_writes_text(to, pc);
	return result;
}

DH_EXPORT int prctl(int option, ...)
{
	uint64_t pc = DH_CALLER();
	unsigned long a[4];
	va_list list;
	va_start(list, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(list, unsigned long);
	va_end(list);
	if (option == PR_SET_NAME)
		dh_reads_text((const char *)a[0], pc);
	int result = DH_REAL(prctl)(option, a[0], a[1], a[2], a[3]);
	if (option == PR_GET_NAME && result == 0)
		dh_writes_text((const char *)a[0], pc);
	struct dh_self *t = dh_thread_self();
	if (option == PR_SET_NAME && result == 0 && t->state)
		name_it(t->state->info, (const char *)a[0]);
	return result;
}
