/* SPDX-License-Identifier: MIT */
/*
 * See limits.h. A limit on address space that the program sets for itself is raised by
 * what the runtime has reserved; otherwise the next request for memory would fail,
 * however little the program uses. A limit that was there at start-up is kept to: then
 * nothing is reserved.
 */
#define _GNU_SOURCE
#include "runtime/intercept/limits.h"
#include <sys/resource.h>
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"
#include "runtime/shadow.h"

static struct rlimit asked; /* for the address space, */
static bool is_asked;	    /* if it was */

DH_REAL_WANT(setrlimit);
DH_REAL_WANT(getrlimit);

static rlim_t raised(rlim_t limit)
{
	rlim_t more = dh_shadow_bytes();
	return limit > RLIM_INFINITY - more ? RLIM_INFINITY : limit + more;
}

static int set_raised(const struct rlimit *limit)
{
	struct rlimit own = {raised(limit->rlim_cur), raised(limit->rlim_max)};
	return DH_REAL(setrlimit)(RLIMIT_AS, &own);
}

DH_EXPORT int setrlimit(__rlimit_resource_t what, const struct rlimit *limit)
{
	dh_reads(limit, sizeof *limit, DH_CALLER());
	if (what != RLIMIT_AS)
		return DH_REAL(setrlimit)(what, limit);
	int r = set_raised(limit);
	if (r == 0) {
		asked = *limit;
		is_asked = true;
	}
	return r;
}

DH_EXPORT int setrlimit64(__rlimit_resource_t what, const struct rlimit64 *limit)
{
	return setrlimit(what, (const struct rlimit *)limit);
}

DH_EXPORT int getrlimit(__rlimit_resource_t what, struct rlimit *to)
{
	int r = DH_REAL(getrlimit)(what, to);
	if (r == 0 && what == RLIMIT_AS && is_asked)
		*to = asked;
	if (r == 0)
		DH_WRITES_OBJECT(to, DH_CALLER());
	return r;
}

DH_EXPORT int getrlimit64(__rlimit_resource_t what, struct rlimit64 *to)
{
	return getrlimit(what, (struct rlimit *)to);
}

void dh_limits_as_asked(void)
{
	if (is_asked)
		DH_REAL(setrlimit)(RLIMIT_AS, &asked);
}

void dh_limits_as_needed(void)
{
	if (is_asked)
		set_raised(&asked);
}
