/* SPDX-License-Identifier: MIT */
/*
 * Holding up others around a fork (stop.h): a thread that begins meanwhile does not get as
 * far as to touch what it has from its creator, and goes on afterwards.
 */
#include "runtime/stop.h"
#include "base/sys.h"
#include "runtime/race.h"
#include "runtime/sync.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

void dh_race_found(struct dh_self *t, uintptr_t granule, unsigned mask, dh_record mine,
		   unsigned flags, dh_record other, bool other_write)
{
	(void)t, (void)granule, (void)mask, (void)mine, (void)flags, (void)other;
	(void)other_write;
}

static uint64_t number; /* of the kernel's for the thread; atomic */
static bool begun;	/* atomic */

static void *begin(void *info)
{
	__atomic_store_n(&number, dh_sys_thread_id(), __ATOMIC_RELEASE);
	dh_thread_attach(info);
	__atomic_store_n(&begun, true, __ATOMIC_RELEASE);
	dh_thread_detach_self();
	return NULL;
}

/* Does the thread sleep, as far as the kernel knows? */
static bool sleeps(uint64_t thread)
{
	char name[64], line[512] = "";
	snprintf(name, sizeof name, "/proc/self/task/%llu/stat",
		 (unsigned long long)thread);
	FILE *in = fopen(name, "r");
	if (!in)
		return false;
	const char *state = fgets(line, sizeof line, in) ? strrchr(line, ')') : NULL;
	fclose(in);
	return state && strncmp(state, ") S", 3) == 0;
}

static bool held_up(void)
{
	for (;; sched_yield()) {
		const uint64_t thread = __atomic_load_n(&number, __ATOMIC_ACQUIRE);
		if (thread && sleeps(thread))
			return true;
		if (__atomic_load_n(&begun, __ATOMIC_ACQUIRE))
			return false;
	}
}

static void test_beginning_thread_waits(void **state)
{
	(void)state;
	struct dh_self *t = dh_thread_self();
	pthread_t p;

	struct dh_thread_info *info = dh_thread_create(1);
	dh_enter_runtime(t);
	dh_stop_others();
	assert_int_equal(pthread_create(&p, NULL, begin, info), 0);
	assert_true(held_up());
	assert_non_null(info->clock);
	assert_null(info->vc);
	dh_stop_end();
	dh_leave_runtime(t);
	pthread_join(p, NULL);
	assert_true(begun);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_beginning_thread_waits),
	};
	dh_stop_init();
	dh_threads_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
