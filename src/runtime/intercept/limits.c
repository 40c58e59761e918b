/* SPDX-License-Identifier: MIT */
/*
 * See limits.h. A limit that the program sets for itself is raised by what the process has
 * already, nearly all of which the runtime has reserved; otherwise the next request for
 * memory would fail, however little the program uses. What the runtime needs for itself once the
 * program has used up its own comes on top. A limit that was there at start-up is kept to: then
 * nothing is reserved.
 */
#define _GNU_SOURCE
#include "runtime/intercept/limits.h"
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/kernel.h"
#include "base/mem.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"
#include "runtime/shadow.h"

/* What is limited, and which number of /proc/self/statm has what there is of it. */
static struct memory {
	__rlimit_resource_t what;
	unsigned field;
	struct rlimit asked; /* by the program, */
	bool is_asked;	     /* if it has */
} memories[] = {{RLIMIT_AS, 0, {0}, false}, {RLIMIT_DATA, 5, {0}, false}};

DH_REAL_WANT(setrlimit);
DH_REAL_WANT(getrlimit);
DH_REAL_WANT(prlimit);

static struct memory *memory_of(__rlimit_resource_t what)
{
	for (size_t i = 0; i < DH_ARRAY_LEN(memories); i++)
		if (memories[i].what == what)
			return &memories[i];
	return NULL;
}

/* ---- what there is ---- */

/* The number behind so many spaces. */
static rlim_t number_at(const char *text, unsigned field)
{
	rlim_t n = 0;
	for (; *text && field; text++)
		field -= *text == ' ';
	for (; *text >= '0' && *text <= '9'; text++)
		n = n * 10 + (rlim_t)(*text - '0');
	return n;
}

/* Bytes; without /proc, what is known to be the most of them. */
static rlim_t in_use(const struct memory *m)
{
	enum { PAGE = 4096 };
	char text[256] = "";
	long fd = DH_KERNEL_3(__NR_openat, AT_FDCWD, "/proc/self/statm", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		DH_KERNEL_3(__NR_read, fd, text, sizeof text - 1);
		DH_KERNEL_1(__NR_close, fd);
	}
	return DH_MAX(number_at(text, m->field) * PAGE, (rlim_t)dh_shadow_bytes());
}

static rlim_t raised(rlim_t limit, rlim_t more)
{
	return limit > RLIM_INFINITY - more ? RLIM_INFINITY : limit + more;
}

static int set_raised(const struct memory *m, const struct rlimit *limit)
{
	rlim_t more = in_use(m);
	struct rlimit own = {raised(limit->rlim_cur, more), raised(limit->rlim_max, more)};
	return DH_REAL(setrlimit)(m->what, &own);
}

/* The runtime is to have so many bytes beside what the program may have (mem.h). Two threads at
 * the same time may get the room of one. */
static bool make_room(size_t size)
{
	bool more = false;
	for (size_t i = 0; i < DH_ARRAY_LEN(memories); i++) {
		struct rlimit now = {0, 0};
		const long what = (long)memories[i].what;
		if (!memories[i].is_asked ||
		    DH_KERNEL_4(__NR_prlimit64, 0, what, NULL, &now) != 0)
			continue;
		const rlim_t most = DH_MIN(raised(now.rlim_cur, size), now.rlim_max);
		const struct rlimit own = {most, now.rlim_max};
		more |= most > now.rlim_cur &&
			DH_KERNEL_4(__NR_prlimit64, 0, what, &own, NULL) == 0;
	}
	return more;
}

/* ---- what the program calls ---- */

static int set(__rlimit_resource_t what, const struct rlimit *limit)
{
	struct memory *m = memory_of(what);
	int r = m ? set_raised(m, limit) : DH_REAL(setrlimit)(what, limit);
	if (m && r == 0) {
		m->asked = *limit;
		m->is_asked = true;
		__atomic_store_n(&dh_mem_short, make_room, __ATOMIC_RELAXED);
	}
	return r;
}

static int get(__rlimit_resource_t what, struct rlimit *to)
{
	const struct memory *m = memory_of(what);
	int r = DH_REAL(getrlimit)(what, to);
	if (r == 0 && m && m->is_asked)
		*to = m->asked;
	return r;
}

DH_EXPORT int setrlimit(__rlimit_resource_t what, const struct rlimit *limit)
{
	dh_reads(limit, sizeof *limit, DH_CALLER());
	return set(what, limit);
}

DH_EXPORT int setrlimit64(__rlimit_resource_t what, const struct rlimit64 *limit)
{
	return setrlimit(what, (const struct rlimit *)limit);
}

DH_EXPORT int getrlimit(__rlimit_resource_t what, struct rlimit *to)
{
	int r = get(what, to);
	if (r == 0)
		DH_WRITES_OBJECT(to, DH_CALLER());
	return r;
}

DH_EXPORT int getrlimit64(__rlimit_resource_t what, struct rlimit64 *to)
{
	return getrlimit(what, (struct rlimit *)to);
}

static int exchange(__rlimit_resource_t what, const struct rlimit *limit, struct rlimit *old)
{
	struct rlimit had;
	int r = get(what, &had);
	if (r == 0 && limit)
		r = set(what, limit);
	if (r == 0 && old)
		*old = had;
	return r;
}

/* Of the process itself, or of another. */
DH_EXPORT int prlimit(pid_t process, __rlimit_resource_t what, const struct rlimit *limit,
		      struct rlimit *old)
{
	uint64_t pc = DH_CALLER();
	bool own = process == 0 || process == (pid_t)DH_KERNEL_0(__NR_getpid);
	DH_READS_OBJECT(limit, pc);
	int r = own && memory_of(what) ? exchange(what, limit, old)
				       : DH_REAL(prlimit)(process, what, limit, old);
	if (r == 0)
		DH_WRITES_OBJECT(old, pc);
	return r;
}

DH_EXPORT int prlimit64(pid_t process, __rlimit_resource_t what, const struct rlimit64 *limit,
			struct rlimit64 *old)
{
	return prlimit(process, what, (const struct rlimit *)limit, (struct rlimit *)old);
}

/* ---- exec ---- */

void dh_limits_as_asked(void)
{
	for (size_t i = 0; i < DH_ARRAY_LEN(memories); i++)
		if (memories[i].is_asked)
			DH_REAL(setrlimit)(memories[i].what, &memories[i].asked);
}

void dh_limits_as_needed(void)
{
	for (size_t i = 0; i < DH_ARRAY_LEN(memories); i++)
		if (memories[i].is_asked)
			set_raised(&memories[i], &memories[i].asked);
}
