/* SPDX-License-Identifier: MIT */
/*
 * The functions of libatomic that compilers call for atomic objects of any other size, like
 * a structure of three words; see abi_atomic.c. libatomic has such objects protected by
 * mutexes of its own, by the hash of their addresses. Seen as such these would order what
 * relaxed operations do not, and operations on objects that have nothing to do with each
 * other; and that it accesses the objects nobody would see. So these take its place, for
 * all of the process.
 *
 * One lock serves all objects: programs that care for speed have none of these.
 */
#include "runtime/abi.h"
#include "runtime/edges.h"
#include "runtime/inside.h"
#include "runtime/intercept/touch.h"
#include "runtime/observer.h"

/* Taken under that of a synchronisation object; nothing is taken under it. */
static struct dh_lock lock;
DH_LOCK_AROUND_FORK(lock, DH_FORK_MEMORY);

/* The names are the compiler's for what it does itself. */
#define NAMED(name) __asm__(#name)

DH_EXPORT void dh_any_load(size_t n, const void *a, void *to, int mo) NAMED(__atomic_load);
DH_EXPORT void dh_any_store(size_t n, void *a, const void *v, int mo)
    NAMED(__atomic_store);
DH_EXPORT void dh_any_exchange(size_t n, void *a, const void *v, void *old, int mo)
    NAMED(__atomic_exchange);
DH_EXPORT bool dh_any_compare(size_t n, void *a, void *expected, const void *v, int mo,
			      int fail) NAMED(__atomic_compare_exchange);

static void check(const void *a, size_t n, unsigned flags, uint64_t pc)
{
	if (dh_touches(pc))
		dh_touch(a, n, flags | DH_ACCESS_ATOMIC, pc);
}

static void copy(void *to, const void *from, size_t n)
{
	struct dh_self *t = dh_lock_inside(&lock);
	dh_copy(to, from, n);
	dh_unlock_inside(&lock, t);
}

/* The object becomes v, and its old value is left, where it is as expected or nothing is;
 * else the value is left only. */
static bool swap(size_t n, void *a, const void *expected, const void *v, void *old)
{
	struct dh_self *t = dh_lock_inside(&lock);
	bool equal = !expected || dh_same(a, expected, n);
	char *at = a, *left = old;
	const char *new = v;
	for (size_t i = 0; i < n; i++) {
		char was = at[i];
		at[i] = equal ? new[i] : was;
		left[i] = was;
	}
	dh_unlock_inside(&lock, t);
	return equal;
}

static bool is_equal(size_t n, const void *a, const void *b)
{
	struct dh_self *t = dh_lock_inside(&lock);
	bool equal = dh_same(a, b, n);
	dh_unlock_inside(&lock, t);
	return equal;
}

void dh_any_load(size_t n, const void *a, void *to, int mo)
{
	uintptr_t addr = (uintptr_t)a;
	struct dh_edge e;
	check(a, n, 0, DH_CALLER());
	mo = dh_order(mo);
	do {
		dh_edge_load_begin(&e, addr, mo);
		copy(to, a, n);
	} while (!dh_edge_load_end(&e, addr, mo));
	dh_writes(to, n, DH_CALLER());
	dh_saw_atomic(DH_ATOMIC_LOADED, addr, n, mo, DH_CALLER());
}

void dh_any_store(size_t n, void *a, const void *v, int mo)
{
	uintptr_t addr = (uintptr_t)a;
	struct dh_edge e;
	dh_reads(v, n, DH_CALLER());
	check(a, n, DH_ACCESS_WRITE, DH_CALLER());
	mo = dh_order(mo);
	dh_saw_atomic(DH_ATOMIC_STORING, addr, n, mo, DH_CALLER());
	dh_edge_store_begin(&e, addr, mo);
	copy(a, v, n);
	dh_edge_store_end(&e);
}

void dh_any_exchange(size_t n, void *a, const void *v, void *old, int mo)
{
	uintptr_t addr = (uintptr_t)a;
	struct dh_edge e;
	dh_reads(v, n, DH_CALLER());
	check(a, n, DH_ACCESS_WRITE, DH_CALLER());
	mo = dh_order(mo);
	dh_saw_atomic(DH_ATOMIC_MODIFYING, addr, n, mo, DH_CALLER());
	dh_edge_rmw_begin(&e, addr, mo, mo);
	swap(n, a, NULL, v, old);
	dh_edge_rmw_end(&e, addr, mo, true);
	dh_saw_atomic(DH_ATOMIC_MODIFIED, addr, n, mo, DH_CALLER());
	dh_writes(old, n, DH_CALLER());
}

bool dh_any_compare(size_t n, void *a, void *expected, const void *v, int mo, int fail)
{
	uintptr_t addr = (uintptr_t)a;
	struct dh_edge e;
	dh_reads(v, n, DH_CALLER());
	check(a, n, is_equal(n, a, expected) ? DH_ACCESS_WRITE : 0, DH_CALLER());
	mo = dh_order(mo);
	fail = dh_order(fail);
	dh_saw_atomic(DH_ATOMIC_MODIFYING, addr, n, mo, DH_CALLER());
	dh_edge_rmw_begin(&e, addr, mo, fail);
	bool done = swap(n, a, expected, v, expected);
	mo = done ? mo : fail;
	dh_edge_rmw_end(&e, addr, mo, done);
	dh_saw_atomic(DH_ATOMIC_MODIFIED, addr, n, mo, DH_CALLER());
	if (!done)
		dh_writes(expected, n, DH_CALLER());
	return done;
}
