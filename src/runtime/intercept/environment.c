/* SPDX-License-Identifier: MIT */
/*
 * The process's environment. Changing it takes the C library's lock, looking into it
 * does not: so changes do not race with each other, and a look does with a change. One
 * word of ours stands for all of the environment: changes are atomic writes of it, a
 * look is a plain read.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"

static uint64_t all;

static void looks(const char *name, uint64_t pc)
{
	dh_reads_text(name, pc);
	DH_READS_OBJECT(&all, pc);
}

static void changes(uint64_t pc)
{
	if (dh_touches(pc))
		dh_access_slow((uintptr_t)&all, DH_WHOLE,
			       DH_ACCESS_WRITE | DH_ACCESS_ATOMIC, pc);
}

DH_REAL_WANT(getenv);
DH_EXPORT char *getenv(const char *name)
{
	looks(name, DH_CALLER());
	return DH_REAL(getenv)(name);
}

DH_REAL_WANT(secure_getenv);
DH_EXPORT char *secure_getenv(const char *name)
{
	looks(name, DH_CALLER());
	return DH_REAL(secure_getenv)(name);
}

DH_REAL_WANT(setenv);
DH_EXPORT int setenv(const char *name, const char *value, int replace)
{
	uint64_t pc = DH_CALLER();
	dh_reads_text(name, pc);
	dh_reads_text(value, pc);
	changes(pc);
	return DH_REAL(setenv)(name, value, replace);
}

DH_REAL_WANT(unsetenv);
DH_EXPORT int unsetenv(const char *name)
{
	uint64_t pc = DH_CALLER();
	dh_reads_text(name, pc);
	changes(pc);
	return DH_REAL(unsetenv)(name);
}

DH_REAL_WANT(putenv);
DH_EXPORT int putenv(char *both)
{
	uint64_t pc = DH_CALLER();
	dh_reads_text(both, pc);
	changes(pc);
	return DH_REAL(putenv)(both);
}

DH_REAL_WANT(clearenv);
DH_EXPORT int clearenv(void)
{
	changes(DH_CALLER());
	return DH_REAL(clearenv)();
}
