/* SPDX-License-Identifier: MIT */
/* Other libc functions with results in the caller's memory: errors in words, random
 * numbers with a state, users and groups, terminals, options. */
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "base/kernel.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"

/* ---- errors ---- */

/* The GNU form: the text may be elsewhere. */
DH_REAL_WANT(strerror_r);
DH_EXPORT char *strerror_r(int error, char *to, size_t room)
{
	char *got = DH_REAL(strerror_r)(error, to, room);
	if (got == to)
		dh_writes_text(got, DH_CALLER());
	return got;
}

DH_EXPORT int __xpg_strerror_r(int error, char *to, size_t room);
DH_REAL_WANT(__xpg_strerror_r);
int __xpg_strerror_r(int error, char *to, size_t room)
{
	int r = DH_REAL(__xpg_strerror_r)(error, to, room);
	if (r == 0)
		dh_writes_text(to, DH_CALLER());
	return r;
}

/* ---- random numbers ---- */

DH_REAL_WANT(rand_r);
DH_EXPORT int rand_r(unsigned *state)
{
	DH_WRITES_OBJECT(state, DH_CALLER());
	return DH_REAL(rand_r)(state);
}

DH_REAL_WANT(random_r);
DH_EXPORT int random_r(struct random_data *state, int32_t *to)
{
	uint64_t pc = DH_CALLER();
	DH_WRITES_OBJECT(state, pc);
	DH_WRITES_OBJECT(to, pc);
	return DH_REAL(random_r)(state, to);
}

DH_REAL_WANT(erand48);
DH_EXPORT double erand48(unsigned short state[3])
{
	dh_writes(state, 3 * sizeof *state, DH_CALLER());
	return DH_REAL(erand48)(state);
}

DH_REAL_WANT(nrand48);
DH_EXPORT long nrand48(unsigned short state[3])
{
	dh_writes(state, 3 * sizeof *state, DH_CALLER());
	return DH_REAL(nrand48)(state);
}

DH_REAL_WANT(jrand48);
DH_EXPORT long jrand48(unsigned short state[3])
{
	dh_writes(state, 3 * sizeof *state, DH_CALLER());
	return DH_REAL(jrand48)(state);
}

DH_REAL_WANT(srandom_r);
DH_EXPORT int srandom_r(unsigned seed, struct random_data *state)
{
	DH_WRITES_OBJECT(state, DH_CALLER());
	return DH_REAL(srandom_r)(seed, state);
}

/* The most of these sizes that there is room for is what it uses. */
DH_REAL_WANT(initstate_r);
DH_EXPORT int initstate_r(unsigned seed, char *own, size_t room,
			  struct random_data *state)
{
	uint64_t pc = DH_CALLER();
	int r = DH_REAL(initstate_r)(seed, own, room, state);
	if (r == 0) {
		dh_writes(own,
			  room >= 256	? 256
			  : room >= 128 ? 128
			  : room >= 64	? 64
			  : room >= 32	? 32
					: 8,
			  pc);
		DH_WRITES_OBJECT(state, pc);
	}
	return r;
}

DH_REAL_WANT(setstate_r);
DH_EXPORT int setstate_r(char *own, struct random_data *state)
{
	int r = DH_REAL(setstate_r)(own, state);
	if (r == 0)
		DH_WRITES_OBJECT(state, DH_CALLER());
	return r;
}

/* A program may have found it here where the C library has none. */
static void fill(char *to, size_t n)
{
	for (size_t done = 0; done < n;) {
		long got = DH_KERNEL_3(__NR_getrandom, to + done, n - done, 0);
		if (got < 0 && got != -EINTR)
			abort(); /* as the C library's own does */
		done += got > 0 ? (size_t)got : 0;
	}
}

DH_EXPORT void arc4random_buf(void *to, size_t n);
DH_REAL_WANT(arc4random_buf);
void arc4random_buf(void *to, size_t n)
{
	dh_writes(to, n, DH_CALLER());
	if (DH_REAL_HAS(arc4random_buf))
		DH_REAL(arc4random_buf)(to, n);
	else
		fill(to, n);
}

/* With all of the state in the caller's memory. */
#define NEXT_48(name, type)                                                              \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(struct drand48_data *state, type *to)                         \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		DH_WRITES_OBJECT(state, pc);                                             \
		DH_WRITES_OBJECT(to, pc);                                                \
		return DH_REAL(name)(state, to);                                         \
	}
NEXT_48(drand48_r, double)
NEXT_48(lrand48_r, long)
NEXT_48(mrand48_r, long)

#define NEXT_48_OF(name, type)                                                           \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(unsigned short own[3], struct drand48_data *state, type *to)  \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		dh_writes(own, 3 * sizeof *own, pc);                                     \
		DH_WRITES_OBJECT(state, pc);                                             \
		DH_WRITES_OBJECT(to, pc);                                                \
		return DH_REAL(name)(own, state, to);                                    \
	}
NEXT_48_OF(erand48_r, double)
NEXT_48_OF(nrand48_r, long)
NEXT_48_OF(jrand48_r, long)

DH_REAL_WANT(srand48_r);
DH_EXPORT int srand48_r(long seed, struct drand48_data *state)
{
	DH_WRITES_OBJECT(state, DH_CALLER());
	return DH_REAL(srand48_r)(seed, state);
}

#define SEED_48(name, count)                                                             \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(unsigned short from[count], struct drand48_data *state)       \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		dh_reads(from, (count) * sizeof *from, pc);                              \
		DH_WRITES_OBJECT(state, pc);                                             \
		return DH_REAL(name)(from, state);                                       \
	}
SEED_48(seed48_r, 3)
SEED_48(lcong48_r, 7)

/* ---- users and groups ---- */

/* With memory of the C library, overwritten by the next call. */
#define ENTRY(name, key, type)                                                           \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT struct type *name(key which)                                           \
	{                                                                                \
		struct type *got = DH_REAL(name)(which);                                 \
		DH_WRITES_OBJECT(got, DH_CALLER());                                      \
		return got;                                                              \
	}
ENTRY(getpwnam, const char *, passwd)
ENTRY(getpwuid, uid_t, passwd)
ENTRY(getgrnam, const char *, group)
ENTRY(getgrgid, gid_t, group)

#define ENTRY_HERE(name, key, type)                                                      \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(key which, struct type *to, char *texts, size_t room,         \
			   struct type **found)                                          \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		int r = DH_REAL(name)(which, to, texts, room, found);                    \
		DH_WRITES_OBJECT(found, pc);                                             \
		if (r == 0 && *found)                                                    \
			DH_WRITES_OBJECT(to, pc);                                        \
		return r;                                                                \
	}
ENTRY_HERE(getpwnam_r, const char *, passwd)
ENTRY_HERE(getpwuid_r, uid_t, passwd)
ENTRY_HERE(getgrnam_r, const char *, group)
ENTRY_HERE(getgrgid_r, gid_t, group)

#define OF_PROCESS(name, type)                                                           \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(type *real, type *effective, type *saved)                     \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		int r = DH_REAL(name)(real, effective, saved);                           \
		if (r)                                                                   \
			return r;                                                        \
		DH_WRITES_OBJECT(real, pc);                                              \
		DH_WRITES_OBJECT(effective, pc);                                         \
		DH_WRITES_OBJECT(saved, pc);                                             \
		return 0;                                                                \
	}
OF_PROCESS(getresuid, uid_t)
OF_PROCESS(getresgid, gid_t)

/* ---- the system ---- */

/* The name of a terminal. */
#define NAME_HERE(name)                                                                  \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(int terminal, char *to, size_t room)                          \
	{                                                                                \
		int r = DH_REAL(name)(terminal, to, room);                               \
		if (r == 0)                                                              \
			dh_writes_text(to, DH_CALLER());                                 \
		return r;                                                                \
	}
NAME_HERE(ptsname_r)
NAME_HERE(ttyname_r)

#define TELL(name, type)                                                                 \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(struct type *to)                                              \
	{                                                                                \
		int r = DH_REAL(name)(to);                                               \
		if (r == 0)                                                              \
			DH_WRITES_OBJECT(to, DH_CALLER());                               \
		return r;                                                                \
	}
TELL(sysinfo, sysinfo)
TELL(uname, utsname)

DH_REAL_WANT(getloadavg);
DH_EXPORT int getloadavg(double *to, int count)
{
	int r = DH_REAL(getloadavg)(to, count);
	if (r > 0)
		dh_writes(to, (size_t)r * sizeof *to, DH_CALLER());
	return r;
}

DH_REAL_WANT(getgroups);
DH_EXPORT int getgroups(int room, gid_t to[])
{
	int n = DH_REAL(getgroups)(room, to);
	if (n > 0 && room > 0)
		dh_writes(to, (size_t)n * sizeof *to, DH_CALLER());
	return n;
}

/* *n is the room, and how many there are. */
DH_REAL_WANT(getgrouplist);
DH_EXPORT int getgrouplist(const char *user, gid_t group, gid_t to[], int *n)
{
	uint64_t pc = DH_CALLER();
	int room = *n;
	dh_reads_text(user, pc);
	int r = DH_REAL(getgrouplist)(user, group, to, n);
	DH_WRITES_OBJECT(n, pc);
	if (room > 0)
		dh_writes(to, (size_t)DH_MIN(room, *n) * sizeof *to, pc);
	return r;
}

/* A byte for each page. */
DH_REAL_WANT(mincore);
DH_EXPORT int mincore(void *at, size_t n, unsigned char *to)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int r = DH_REAL(mincore)(at, n, to);
	if (r == 0)
		dh_writes(to, (n + page - 1) / page, DH_CALLER());
	return r;
}

/* Cuts the option off, and tells where the next one is. */
DH_REAL_WANT(getsubopt);
DH_EXPORT int getsubopt(char **options, char *const *tokens, char **value)
{
	uint64_t pc = DH_CALLER();
	const char *was = *options;
	dh_reads_text(was, pc);
	int r = DH_REAL(getsubopt)(options, tokens, value);
	if (*options > was && !(*options)[-1])
		dh_writes(*options - 1, 1, pc);
	DH_WRITES_OBJECT(options, pc);
	DH_WRITES_OBJECT(value, pc);
	return r;
}

DH_REAL_WANT(confstr);
DH_EXPORT size_t confstr(int what, char *to, size_t room)
{
	size_t n = DH_REAL(confstr)(what, to, room);
	if (to)
		dh_writes(to, DH_MIN(n, room), DH_CALLER());
	return n;
}
