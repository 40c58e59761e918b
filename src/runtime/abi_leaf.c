/* SPDX-License-Identifier: MIT */
/*
 * Accesses that are told together with the function that they are in (leaf.h). Linked
 * into programs (hot.h), beside the other entry points for accesses.
 */
#include "runtime/abi.h"
#include "runtime/leaf.h"
#include "runtime/thread.h"
#include "runtime/two_granules.h"

/* In place of the weak ones of the program's objects. */
#define LEAF_EXPORT __attribute__((visibility("hidden")))

/* Is the thread known, and nobody to be watched? */
DH_INLINE bool is_unwatched(const struct dh_self *t)
{
	return !t->now && t->top + 1 < t->limit;
}

#define IS_WRITE(kind) (#kind[0] == 'w')

/* No repeat: as the three calls that this stands for. */
#define FRAMED(kind, size)                                                               \
	DH_EXPORT void __tsan_##kind##size##_pc(void *addr, void *pc);                   \
	static DH_NOINLINE void framed_##kind##size(void *addr, void *caller, void *pc)  \
	{                                                                                \
		struct dh_self *t = dh_thread_self();                                    \
		if (is_unwatched(t))                                                     \
			return;                                                          \
		dh_thread_enter(t, (uint64_t)(uintptr_t)caller);                         \
		__tsan_##kind##size##_pc(addr, pc);                                      \
		if (DH_LIKELY(t->state != NULL))                                         \
			dh_thread_exit(t);                                               \
	}                                                                                \
	LEAF_EXPORT void __deadheat_leaf_##kind##size(void *addr, void *caller);

#define LEAF(kind, size)                                                                 \
	FRAMED(kind, size)                                                               \
	void __deadheat_leaf_##kind##size(void *addr, void *caller)                      \
	{                                                                                \
		struct dh_seen s;                                                        \
		if (dh_access_glance((uintptr_t)addr, size, IS_WRITE(kind), &s) !=       \
		    DH_SIGHT_REPEAT)                                                     \
			framed_##kind##size(addr, caller, __builtin_return_address(0));  \
	}

LEAF(read, 1)
LEAF(read, 2)
LEAF(read, 4)
LEAF(read, 8)
LEAF(write, 1)
LEAF(write, 2)
LEAF(write, 4)
LEAF(write, 8)

#define LEAF16(kind)                                                                     \
	FRAMED(kind, 16)                                                                 \
	void __deadheat_leaf_##kind##16(void *addr, void *caller)                        \
	{                                                                                \
		struct dh_seen_two s;                                                    \
		if (dh_two_glance((uintptr_t)addr, IS_WRITE(kind), &s) !=                \
		    DH_SIGHT_REPEAT)                                                     \
			framed_##kind##16(addr, caller, __builtin_return_address(0));    \
	}

LEAF16(read)
LEAF16(write)
