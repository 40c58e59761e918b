/* SPDX-License-Identifier: MIT */
/* Sorting and searching of arrays. The comparison is the program's, and watched as its
 * code is; what the C library itself moves around counts as written. */
#define _GNU_SOURCE
#ifndef __NO_INLINE__
#define __NO_INLINE__ /* the headers shall define none of the functions */
#endif
#include <search.h>
#include <stdlib.h>
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"

static void has_sorted(void *base, size_t count, size_t size, uint64_t pc)
{
	if (count > 1)
		dh_writes(base, count * size, pc);
}

DH_REAL_WANT(qsort);
DH_EXPORT void qsort(void *base, size_t count, size_t size, __compar_fn_t compare)
{
	uint64_t pc = DH_CALLER();
	dh_call_begin(pc);
	DH_REAL(qsort)(base, count, size, compare);
	dh_call_end();
	has_sorted(base, count, size, pc);
}

DH_REAL_WANT(qsort_r);
DH_EXPORT void qsort_r(void *base, size_t count, size_t size, __compar_d_fn_t compare,
		       void *arg)
{
	uint64_t pc = DH_CALLER();
	dh_call_begin(pc);
	DH_REAL(qsort_r)(base, count, size, compare, arg);
	dh_call_end();
	has_sorted(base, count, size, pc);
}

DH_REAL_WANT(bsearch);
DH_EXPORT void *bsearch(const void *key, const void *base, size_t count, size_t size,
			__compar_fn_t compare)
{
	dh_call_begin(DH_CALLER());
	void *found = DH_REAL(bsearch)(key, base, count, size, compare);
	dh_call_end();
	return found;
}

DH_REAL_WANT(lfind);
DH_EXPORT void *lfind(const void *key, const void *base, size_t *count, size_t size,
		      __compar_fn_t compare)
{
	uint64_t pc = DH_CALLER();
	DH_READS_OBJECT(count, pc);
	dh_call_begin(pc);
	void *found = DH_REAL(lfind)(key, base, count, size, compare);
	dh_call_end();
	return found;
}

DH_REAL_WANT(lsearch);
DH_EXPORT void *lsearch(const void *key, void *base, size_t *count, size_t size,
			__compar_fn_t compare)
{
	uint64_t pc = DH_CALLER();
	size_t before = *count;
	DH_READS_OBJECT(count, pc);
	dh_call_begin(pc);
	void *found = DH_REAL(lsearch)(key, base, count, size, compare);
	dh_call_end();
	if (*count != before) {
		dh_reads(key, size, pc);
		dh_writes(found, size, pc);
		DH_WRITES_OBJECT(count, pc);
	}
	return found;
}
