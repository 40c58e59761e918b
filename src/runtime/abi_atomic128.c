/* SPDX-License-Identifier: MIT */
/* The entry points for atomic operations on sixteen bytes; see abi_atomic.c. Two
 * granules of shadow, one location for happens-before. */
#include "runtime/abi.h"
#include "runtime/access.h"
#include "runtime/give_way.h"
#include "runtime/edges.h"
#include "runtime/observer.h"
#include "runtime/wide.h"

static void check(const volatile dh_wide *a, unsigned flags, uint64_t pc)
{
	dh_access_range((uintptr_t)a, sizeof *a, flags | DH_ACCESS_ATOMIC, pc);
}

DH_EXPORT dh_wide __tsan_atomic128_load(const volatile dh_wide *a, int mo);
dh_wide __tsan_atomic128_load(const volatile dh_wide *a, int mo)
{
	struct dh_edge e;
	dh_wide value;
	check(a, 0, DH_CALLER());
	mo = dh_order(mo);
	do {
		dh_edge_load_begin(&e, (uintptr_t)a, mo);
		value = dh_wide_load(a);
	} while (!dh_edge_load_end(&e, (uintptr_t)a, mo));
	dh_edge_others(&e, (uintptr_t)a, sizeof *a, mo);
	dh_saw_atomic(DH_ATOMIC_LOADED, (uintptr_t)a, sizeof *a, mo, DH_CALLER());
	return value;
}

DH_EXPORT void __tsan_atomic128_store(volatile dh_wide *a, dh_wide v, int mo);
void __tsan_atomic128_store(volatile dh_wide *a, dh_wide v, int mo)
{
	struct dh_edge e;
	check(a, DH_ACCESS_WRITE, DH_CALLER());
	mo = dh_order(mo);
	dh_saw_atomic(DH_ATOMIC_STORING, (uintptr_t)a, sizeof *a, mo, DH_CALLER());
	dh_edge_store_begin(&e, (uintptr_t)a, mo);
	dh_edge_covers(&e, sizeof *a);
	dh_wide old = dh_wide_load(a);
	while (!dh_wide_compare_exchange(a, &old, v))
		;
	dh_edge_store_end(&e);
}

#define MODIFY(name, new)                                                                \
	DH_EXPORT dh_wide __tsan_atomic128_##name(volatile dh_wide *a, dh_wide v,        \
						  int mo);                               \
	dh_wide __tsan_atomic128_##name(volatile dh_wide *a, dh_wide v, int mo)          \
	{                                                                                \
		struct dh_edge e;                                                        \
		check(a, DH_ACCESS_WRITE, DH_CALLER());                                  \
		mo = dh_order(mo);                                                       \
		dh_saw_atomic(DH_ATOMIC_MODIFYING, (uintptr_t)a, sizeof *a, mo,          \
			      DH_CALLER());                                              \
		dh_edge_rmw_begin(&e, (uintptr_t)a, mo, mo);                             \
		dh_edge_covers(&e, sizeof *a);                                           \
		dh_wide old = dh_wide_load(a);                                           \
		while (!dh_wide_compare_exchange(a, &old, new))                          \
			;                                                                \
		dh_edge_rmw_end(&e, (uintptr_t)a, mo, true);                             \
		dh_edge_others(&e, (uintptr_t)a, sizeof *a, mo);                         \
		dh_saw_atomic(DH_ATOMIC_MODIFIED, (uintptr_t)a, sizeof *a, mo,           \
			      DH_CALLER());                                              \
		return old;                                                              \
	}

MODIFY(exchange, v)
MODIFY(fetch_add, old + v)
MODIFY(fetch_sub, old - v)
MODIFY(fetch_and, old & v)
MODIFY(fetch_or, old | v)
MODIFY(fetch_xor, old ^ v)
MODIFY(fetch_nand, ~(old & v))

static bool compare(volatile dh_wide *a, dh_wide *expected, dh_wide v, int mo, int fail,
		    uint64_t pc)
{
	struct dh_edge e;
	check(a, dh_wide_load(a) == *expected ? DH_ACCESS_WRITE : 0, pc);
	mo = dh_order(mo);
	fail = dh_order(fail);
	dh_saw_atomic(DH_ATOMIC_MODIFYING, (uintptr_t)a, sizeof *a, mo, pc);
	dh_edge_rmw_begin(&e, (uintptr_t)a, mo, fail);
	dh_edge_covers(&e, sizeof *a);
	bool done = dh_wide_compare_exchange(a, expected, v);
	mo = done ? mo : fail;
	dh_edge_rmw_end(&e, (uintptr_t)a, mo, done);
	dh_edge_others(&e, (uintptr_t)a, sizeof *a, mo);
	dh_saw_atomic(DH_ATOMIC_MODIFIED, (uintptr_t)a, sizeof *a, mo, pc);
	if (DH_UNLIKELY(!done))
		dh_give_way((uintptr_t)a);
	return done;
}

DH_EXPORT int __tsan_atomic128_compare_exchange_strong(volatile dh_wide *a, dh_wide *c,
						       dh_wide v, int mo, int fail);
int __tsan_atomic128_compare_exchange_strong(volatile dh_wide *a, dh_wide *c, dh_wide v,
					     int mo, int fail)
{
	return compare(a, c, v, mo, fail, DH_CALLER());
}

DH_EXPORT int __tsan_atomic128_compare_exchange_weak(volatile dh_wide *a, dh_wide *c,
						     dh_wide v, int mo, int fail);
int __tsan_atomic128_compare_exchange_weak(volatile dh_wide *a, dh_wide *c, dh_wide v,
					   int mo, int fail)
{
	return compare(a, c, v, mo, fail, DH_CALLER());
}

DH_EXPORT dh_wide __tsan_atomic128_compare_exchange_val(volatile dh_wide *a, dh_wide c,
							dh_wide v, int mo, int fail);
dh_wide __tsan_atomic128_compare_exchange_val(volatile dh_wide *a, dh_wide c, dh_wide v,
					      int mo, int fail)
{
	compare(a, &c, v, mo, fail, DH_CALLER());
	return c;
}
