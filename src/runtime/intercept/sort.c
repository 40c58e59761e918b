/* SPDX-License-Identifier: MIT */
/* Sorting and searching of arrays, trees and tables. The comparison is the program's, and
 * watched as its code is; what the C library itself moves around counts as written. */
#define _GNU_SOURCE
#ifndef __NO_INLINE__
#define __NO_INLINE__ /* the headers shall define none of the functions */
#endif
#include <search.h>
#include <stdlib.h>
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"

/* ---- arrays ---- */

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

/* ---- trees ---- */

/* The root stands for all of the tree. Looking for what is there already can change it
 * too: nodes are coloured anew on the way. */
DH_REAL_WANT(tsearch);
DH_EXPORT void *tsearch(const void *key, void **root, __compar_fn_t compare)
{
	uint64_t pc = DH_CALLER();
	DH_WRITES_OBJECT(root, pc);
	dh_call_begin(pc);
	void *found = DH_REAL(tsearch)(key, root, compare);
	dh_call_end();
	return found;
}

DH_REAL_WANT(tdelete);
DH_EXPORT void *tdelete(const void *key, void **root, __compar_fn_t compare)
{
	uint64_t pc = DH_CALLER();
	DH_WRITES_OBJECT(root, pc);
	dh_call_begin(pc);
	void *parent = DH_REAL(tdelete)(key, root, compare);
	dh_call_end();
	return parent;
}

DH_REAL_WANT(tfind);
DH_EXPORT void *tfind(const void *key, void *const *root, __compar_fn_t compare)
{
	uint64_t pc = DH_CALLER();
	DH_READS_OBJECT(root, pc);
	dh_call_begin(pc);
	void *found = DH_REAL(tfind)(key, root, compare);
	dh_call_end();
	return found;
}

/* ---- tables ---- */

/* What the table is, of which there can be one without a name. */
static struct hsearch_data nameless;

static void uses_table(const struct hsearch_data *table, ACTION action, const char *key,
		       uint64_t pc)
{
	unsigned flags = action == ENTER ? DH_ACCESS_WRITE : 0;
	dh_touches_object((uintptr_t)table, sizeof *table, flags, pc);
	dh_reads_text(key, pc);
}

DH_REAL_WANT(hsearch_r);
DH_EXPORT int hsearch_r(ENTRY item, ACTION action, ENTRY **found,
			struct hsearch_data *table)
{
	uint64_t pc = DH_CALLER();
	uses_table(table, action, item.key, pc);
	int r = DH_REAL(hsearch_r)(item, action, found, table);
	DH_WRITES_OBJECT(found, pc);
	return r;
}

DH_REAL_WANT(hsearch);
DH_EXPORT ENTRY *hsearch(ENTRY item, ACTION action)
{
	uses_table(&nameless, action, item.key, DH_CALLER());
	return DH_REAL(hsearch)(item, action);
}

#define MAKE(name, table, parameters, arguments)                                         \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name parameters                                                    \
	{                                                                                \
		DH_WRITES_OBJECT(table, DH_CALLER());                                    \
		return DH_REAL(name) arguments;                                          \
	}
MAKE(hcreate, &nameless, (size_t room), (room))
MAKE(hcreate_r, table, (size_t room, struct hsearch_data *table), (room, table))

DH_REAL_WANT(hdestroy);
DH_EXPORT void hdestroy(void)
{
	DH_WRITES_OBJECT(&nameless, DH_CALLER());
	DH_REAL(hdestroy)();
}

DH_REAL_WANT(hdestroy_r);
DH_EXPORT void hdestroy_r(struct hsearch_data *table)
{
	DH_WRITES_OBJECT(table, DH_CALLER());
	DH_REAL(hdestroy_r)(table);
}
