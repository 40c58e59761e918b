/* SPDX-License-Identifier: MIT */
/*
 * The entry points for atomic operations on 1, 2, 4 and 8 bytes, and fences. Sixteen
 * bytes are in abi_atomic128.c; the happens-before edges in edges.h.
 *
 * Each does three things, in this order: the access check, the operation, the edges. So
 * the check of an acquiring operation is done with what the thread knew before it: an
 * atomic load is reported against a plain write that nothing but this very load orders
 * before it. Such a program works by luck: had the load come a moment earlier, it would
 * have met the write.
 *
 * A compare-exchange is a write if it succeeds and a load if not. Where another value is
 * there already it is done as that load, which takes no lock for what it would have
 * published: of threads that try at the same time all but one are on that way, and the
 * sooner they try again the better. The record of a write has to be made before the
 * operation, since a success publishes it; so it stays where another thread was quicker.
 *
 * The operation itself is done with the order asked for or a stronger one that costs
 * nothing more on the machines we run on.
 */
#include "runtime/abi.h"
#include "runtime/access.h"
#include "runtime/give_way.h"
#include "runtime/atomic_access.h"
#include "runtime/edges.h"
#include "runtime/observer.h"

typedef uint8_t a8;
typedef uint16_t a16;
typedef uint32_t a32;
typedef uint64_t a64;

/*
 * The common case first: a repeat in its time frame, of an operation that publishes
 * nothing, on a location of whose neighbourhood no synchronisation is known, neither
 * before nor after. That needs no stack frame.
 */
DH_INLINE bool quiet(const struct dh_sync_bucket *b)
{
	DH_GLANCE_PAUSE();
	return DH_LIKELY(!__atomic_load_n(&b->head, __ATOMIC_ACQUIRE));
}

/* Of a thread that is watched. */
DH_INLINE bool has_fenced(const struct dh_self *t)
{
	return DH_UNLIKELY(t->state->fence_release != NULL);
}

#define LOAD(bits)                                                                       \
	static DH_NOINLINE a##bits load##bits(const volatile a##bits *a, int mo,         \
					      uint64_t pc)                               \
	{                                                                                \
		uintptr_t addr = (uintptr_t)a;                                           \
		struct dh_edge e;                                                        \
		a##bits value;                                                           \
		dh_atomic_read(addr, bits / 8, pc);                                      \
		mo = dh_order(mo);                                                       \
		do {                                                                     \
			dh_edge_load_begin(&e, addr, mo);                                \
			value = __atomic_load_n(a, __ATOMIC_SEQ_CST);                    \
		} while (DH_UNLIKELY(!dh_edge_load_end(&e, addr, mo)));                  \
		dh_edge_others(&e, addr, bits / 8, mo);                                  \
		dh_saw_atomic(DH_ATOMIC_LOADED, addr, bits / 8, mo, pc);                 \
		return value;                                                            \
	}                                                                                \
	DH_EXPORT a##bits __tsan_atomic##bits##_load(const volatile a##bits *a, int mo); \
	a##bits __tsan_atomic##bits##_load(const volatile a##bits *a, int mo)            \
	{                                                                                \
		uintptr_t addr = (uintptr_t)a;                                           \
		const struct dh_sync_bucket *b = dh_sync_bucket(addr);                   \
		if (dh_atomic_repeats(dh_thread_self(), addr, bits / 8, false) &&        \
		    quiet(b)) {                                                          \
			a##bits value = __atomic_load_n(a, __ATOMIC_SEQ_CST);            \
			if (quiet(b))                                                    \
				return value;                                            \
		}                                                                        \
		return load##bits(a, mo, DH_CALLER());                                   \
	}

/* A store that is not seq_cst needs no fence behind it. */
#define STORE(bits)                                                                      \
	static DH_NOINLINE void store##bits(volatile a##bits *a, a##bits v, int mo,      \
					    uint64_t pc)                                 \
	{                                                                                \
		uintptr_t addr = (uintptr_t)a;                                           \
		struct dh_edge e;                                                        \
		dh_atomic_write(addr, bits / 8, pc);                                     \
		mo = dh_order(mo);                                                       \
		dh_saw_atomic(DH_ATOMIC_STORING, addr, bits / 8, mo, pc);                \
		dh_edge_store_begin(&e, addr, mo);                                       \
		dh_edge_covers(&e, bits / 8);                                            \
		if (mo >= __ATOMIC_SEQ_CST)                                              \
			__atomic_store_n(a, v, __ATOMIC_SEQ_CST);                        \
		else                                                                     \
			__atomic_store_n(a, v, __ATOMIC_RELEASE);                        \
		dh_edge_store_end(&e);                                                   \
	}                                                                                \
	DH_EXPORT void __tsan_atomic##bits##_store(volatile a##bits *a, a##bits v,       \
						   int mo);                              \
	void __tsan_atomic##bits##_store(volatile a##bits *a, a##bits v, int mo)         \
	{                                                                                \
		uintptr_t addr = (uintptr_t)a;                                           \
		const struct dh_self *t = dh_thread_self();                              \
		if (mo == __ATOMIC_RELAXED &&                                            \
		    dh_atomic_repeats(t, addr, bits / 8, true) && !has_fenced(t) &&      \
		    quiet(dh_sync_bucket(addr)))                                         \
			__atomic_store_n(a, v, __ATOMIC_RELEASE);                        \
		else                                                                     \
			store##bits(a, v, mo, DH_CALLER());                              \
	}

#define MODIFY(bits, name, operation)                                                    \
	static DH_NOINLINE a##bits name##bits(volatile a##bits *a, a##bits v, int mo,    \
					      uint64_t pc)                               \
	{                                                                                \
		uintptr_t addr = (uintptr_t)a;                                           \
		struct dh_edge e;                                                        \
		dh_atomic_write(addr, bits / 8, pc);                                     \
		mo = dh_order(mo);                                                       \
		dh_saw_atomic(DH_ATOMIC_MODIFYING, addr, bits / 8, mo, pc);              \
		dh_edge_rmw_begin(&e, addr, mo, mo);                                     \
		dh_edge_covers(&e, bits / 8);                                            \
		a##bits old = operation(a, v, __ATOMIC_SEQ_CST);                         \
		dh_edge_rmw_end(&e, addr, mo, true);                                     \
		dh_edge_others(&e, addr, bits / 8, mo);                                  \
		dh_saw_atomic(DH_ATOMIC_MODIFIED, addr, bits / 8, mo, pc);               \
		return old;                                                              \
	}                                                                                \
	DH_EXPORT a##bits __tsan_atomic##bits##_##name(volatile a##bits *a, a##bits v,   \
						       int mo);                          \
	a##bits __tsan_atomic##bits##_##name(volatile a##bits *a, a##bits v, int mo)     \
	{                                                                                \
		uintptr_t addr = (uintptr_t)a;                                           \
		const struct dh_self *t = dh_thread_self();                              \
		const struct dh_sync_bucket *b = dh_sync_bucket(addr);                   \
		if (mo == __ATOMIC_RELAXED &&                                            \
		    dh_atomic_repeats(t, addr, bits / 8, true) && !has_fenced(t) &&      \
		    quiet(b)) {                                                          \
			a##bits old = operation(a, v, __ATOMIC_SEQ_CST);                 \
			if (!quiet(b))                                                   \
				dh_edge_missed(addr, mo);                                \
			return old;                                                      \
		}                                                                        \
		return name##bits(a, v, mo, DH_CALLER());                                \
	}

/* A compare-exchange that has not been done, since another value was loaded: who asks for
 * the strongest order of a failure, as the old __sync functions do, may count on a barrier. */
DH_INLINE void failed(int fail)
{
	if (fail == __ATOMIC_SEQ_CST)
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

#define COMPARE(bits)                                                                    \
	static DH_NOINLINE bool compare##bits(volatile a##bits *a, a##bits *expected,    \
					      a##bits v, int mo, int fail, uint64_t pc)  \
	{                                                                                \
		uintptr_t addr = (uintptr_t)a;                                           \
		struct dh_edge e;                                                        \
		if (__atomic_load_n(a, __ATOMIC_RELAXED) != *expected) {                 \
			dh_give_way(addr);                                             \
			a##bits found = load##bits(a, fail, pc);                         \
			if (DH_LIKELY(found != *expected)) {                             \
				failed(dh_order(fail));                                  \
				*expected = found;                                       \
				return false;                                            \
			}                                                                \
		}                                                                        \
		dh_atomic_write(addr, bits / 8, pc);                                     \
		mo = dh_order(mo);                                                       \
		fail = dh_order(fail);                                                   \
		dh_saw_atomic(DH_ATOMIC_MODIFYING, addr, bits / 8, mo, pc);              \
		dh_edge_rmw_begin(&e, addr, mo, fail);                                   \
		dh_edge_covers(&e, bits / 8);                                            \
		bool done = __atomic_compare_exchange_n(                                 \
		    a, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);          \
		dh_edge_rmw_end(&e, addr, done ? mo : fail, done);                       \
		dh_edge_others(&e, addr, bits / 8, done ? mo : fail);                    \
		dh_saw_atomic(DH_ATOMIC_MODIFIED, addr, bits / 8, done ? mo : fail, pc); \
		if (DH_UNLIKELY(!done))                                                  \
			dh_give_way(addr);                                             \
		return done;                                                             \
	}                                                                                \
	DH_EXPORT int __tsan_atomic##bits##_compare_exchange_strong(                     \
	    volatile a##bits *a, a##bits *c, a##bits v, int mo, int fail);               \
	int __tsan_atomic##bits##_compare_exchange_strong(                               \
	    volatile a##bits *a, a##bits *c, a##bits v, int mo, int fail)                \
	{                                                                                \
		return compare##bits(a, c, v, mo, fail, DH_CALLER());                    \
	}                                                                                \
	DH_EXPORT int __tsan_atomic##bits##_compare_exchange_weak(                       \
	    volatile a##bits *a, a##bits *c, a##bits v, int mo, int fail);               \
	int __tsan_atomic##bits##_compare_exchange_weak(volatile a##bits *a, a##bits *c, \
							a##bits v, int mo, int fail)     \
	{                                                                                \
		return compare##bits(a, c, v, mo, fail, DH_CALLER());                    \
	}                                                                                \
	DH_EXPORT a##bits __tsan_atomic##bits##_compare_exchange_val(                    \
	    volatile a##bits *a, a##bits c, a##bits v, int mo, int fail);                \
	a##bits __tsan_atomic##bits##_compare_exchange_val(                              \
	    volatile a##bits *a, a##bits c, a##bits v, int mo, int fail)                 \
	{                                                                                \
		compare##bits(a, &c, v, mo, fail, DH_CALLER());                          \
		return c;                                                                \
	}

#define ALL(bits)                                                                        \
	LOAD(bits)                                                                       \
	STORE(bits)                                                                      \
	MODIFY(bits, exchange, __atomic_exchange_n)                                      \
	MODIFY(bits, fetch_add, __atomic_fetch_add)                                      \
	MODIFY(bits, fetch_sub, __atomic_fetch_sub)                                      \
	MODIFY(bits, fetch_and, __atomic_fetch_and)                                      \
	MODIFY(bits, fetch_or, __atomic_fetch_or)                                        \
	MODIFY(bits, fetch_xor, __atomic_fetch_xor)                                      \
	MODIFY(bits, fetch_nand, __atomic_fetch_nand)                                    \
	COMPARE(bits)

ALL(8)
ALL(16)
ALL(32)
ALL(64)

/* ---- fences ---- */

DH_EXPORT void __tsan_atomic_thread_fence(int mo);
void __tsan_atomic_thread_fence(int mo)
{
	mo = dh_order(mo);
	if (mo == __ATOMIC_RELAXED)
		return;
	/* The fence stands between what precedes and what follows; that the bookkeeping
	 * of both kinds of edges is on one side of it makes no difference to anyone. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	dh_edge_fence(mo);
}

/* Orders a thread and its own signal handlers: one thread to us, in most programs. */
DH_EXPORT void __tsan_atomic_signal_fence(int mo);
void __tsan_atomic_signal_fence(int mo)
{
	mo = dh_order(mo);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (DH_UNLIKELY(__atomic_load_n(&dh_fences_light, __ATOMIC_RELAXED)) &&
	    mo != __ATOMIC_RELAXED)
		dh_edge_fence(mo);
}
