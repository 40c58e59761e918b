/* SPDX-License-Identifier: MIT */
/*
 * The steps of an aligned access (aligned.h) that is no repeat at first sight, as functions which
 * go on with each other. For the entry points alone (abi_access.c), which begin with WHOLE(),
 * SEVERAL_read(), SEVERAL_write() or fine_read1() and its like.
 */
#ifndef DH_RUNTIME_STEPS_H
#define DH_RUNTIME_STEPS_H

#include "runtime/fine.h"
#include "runtime/over.h"
#include "runtime/recalled.h"

#define IS_WRITE(kind) (#kind[0] == 'w')

/* What is not a repeat at first sight is for functions of their own, each for what is
 * rarer than the one before, so that the common ones are leaves without a stack frame.
 * From the last to the first: */
#define FIRST(kind, size)                                                                \
	static void unsited_##kind##size(uintptr_t addr, uint64_t pc,                    \
					 struct dh_cell *c);                             \
	static DH_NOINLINE void first_##kind##size(uintptr_t addr, uint64_t pc,          \
						   struct dh_cell *c)                    \
	{                                                                                \
		if (!dh_access_first(addr, size, IS_WRITE(kind), pc, c))                 \
			unsited_##kind##size(addr, pc, c);                               \
	}                                                                                \
	static DH_NOINLINE void unsited_##kind##size(uintptr_t addr, uint64_t pc,        \
						     struct dh_cell *c)                  \
	{                                                                                \
		if (dh_access_unsited(addr, size, IS_WRITE(kind), pc))                   \
			first_##kind##size(addr, pc, c);                                 \
	}                                                                                \
	static DH_NOINLINE void several_##kind##size(uintptr_t addr, uint64_t pc,        \
						     struct dh_cell *c)                  \
	{                                                                                \
		if (!dh_access_among_several(addr, size, IS_WRITE(kind), pc, c))         \
			first_##kind##size(addr, pc, c);                                 \
	}                                                                                \
	static DH_NOINLINE void rest_##kind##size(uintptr_t addr, uint64_t pc,           \
						  struct dh_cell *c, dh_record read,     \
						  dh_record write)                       \
	{                                                                                \
		if (dh_record_is_tag(read) || dh_record_is_tag(write))                   \
			several_##kind##size(addr, pc, c);                               \
		else                                                                     \
			first_##kind##size(addr, pc, c);                                 \
	}

FIRST(read, 1)
FIRST(read, 2)
FIRST(read, 4)
FIRST(read, 8)
FIRST(write, 1)
FIRST(write, 2)
FIRST(write, 4)
FIRST(write, 8)

/* Before the rest, in whole granules: reads of all of one, and writes. */
static DH_NOINLINE void beside_read8(uintptr_t addr, uint64_t pc, struct dh_cell *c,
				     dh_record read, dh_record write)
{
	const struct dh_seen s = {c, c, read, write};
	if (!dh_read_beside(addr, DH_WHOLE, pc, &s))
		rest_read8(addr, pc, c, read, write);
}

static DH_NOINLINE void among_read8(uintptr_t addr, uint64_t pc, struct dh_cell *c,
				    dh_record read)
{
	if (dh_access_in_lane(addr, DH_GRANULE, c))
		return;
	if (!dh_sets_is_set(read))
		several_read8(addr, pc, c);
	else
		beside_read8(addr, pc, c, read, DH_LOAD(&c->write));
}

static DH_NOINLINE void rejoin_read8(uintptr_t addr, uint64_t pc, struct dh_cell *c,
				     dh_record read, dh_record write)
{
	const struct dh_seen s = {c, c, read, write};
	if (dh_read_recalled(addr, pc, &s))
		return;
	if (dh_record_is_tag(read))
		among_read8(addr, pc, c, read);
	else
		beside_read8(addr, pc, c, read, write);
}

static DH_NOINLINE void placed_read8(uintptr_t addr, uint64_t pc, struct dh_cell *c,
				     dh_record read)
{
	if (!dh_cell_known(dh_thread_base(), c, read) && !dh_read_at_home(c, addr, read, pc))
		among_read8(addr, pc, c, read);
}

static DH_NOINLINE void known_read8(uintptr_t addr, uint64_t pc, struct dh_cell *c,
				    dh_record read)
{
	if (!dh_sets_tags(read))
		placed_read8(addr, pc, c, read);
	else if (!dh_set_met(dh_thread_base(), read))
		rejoin_read8(addr, pc, c, read, DH_LOAD(&c->write));
}

/* And of parts of one. What a set is known for holds in a cell of a part, too, whose records
 * are for all its bytes. */
#define IN_LANE(size)                                                                    \
	static DH_NOINLINE void among_read##size(uintptr_t addr, uint64_t pc,            \
						 struct dh_cell *c)                      \
	{                                                                                \
		if (!dh_access_in_lane(addr, size, c))                                   \
			several_read##size(addr, pc, c);                                 \
	}                                                                                \
	static DH_NOINLINE void beside_read##size(uintptr_t addr, uint64_t pc,           \
						  struct dh_cell *c, dh_record read,     \
						  dh_record write)                       \
	{                                                                                \
		const struct dh_seen s = {c, c, read, write};                            \
		if (!dh_read_beside(addr, dh_mask_of(addr, size), pc, &s))               \
			among_read##size(addr, pc, c);                                   \
	}                                                                                \
	static DH_NOINLINE void rejoin_read##size(uintptr_t addr, uint64_t pc,           \
						  struct dh_cell *c, dh_record read)     \
	{                                                                                \
		const struct dh_seen s = {c, c, read, DH_LOAD(&c->write)};               \
		if (dh_record_is_tag(s.write))                                           \
			among_read##size(addr, pc, c);                                   \
		else if (!dh_some_recalled(addr, dh_mask_of(addr, size), pc, &s))        \
			beside_read##size(addr, pc, c, read, s.write);                   \
	}                                                                                \
	static DH_NOINLINE void known_read##size(uintptr_t addr, uint64_t pc,            \
						 struct dh_cell *c, dh_record read)      \
	{                                                                                \
		if (!dh_sets_tags(read))                                                 \
			among_read##size(addr, pc, c);                                   \
		else if (!dh_set_known(dh_thread_base(), read, dh_mask_of(addr, size)))  \
			rejoin_read##size(addr, pc, c, read);                            \
	}

IN_LANE(1)
IN_LANE(2)
IN_LANE(4)

#define AFTER(size)                                                                      \
	static DH_NOINLINE void after_write##size(uintptr_t addr, uint64_t pc,           \
						  struct dh_cell *c, dh_record read,     \
						  dh_record write)                       \
	{                                                                                \
		const struct dh_seen s = {c, c, read, write};                            \
		uint32_t site = 0;                                                       \
		if (!dh_write_after(addr, dh_mask_of(addr, size), &site, pc, &s))        \
			rest_write##size(addr, pc, c, read, write);                      \
	}

AFTER(1)
AFTER(2)
AFTER(4)
AFTER(8)

/* Before these, in parts of granules: what comes over the thread's own of other bytes. */
#define OVER(kind, size, next)                                                           \
	static DH_NOINLINE void over_##kind##size(uintptr_t addr, uint64_t pc,           \
						  struct dh_cell *c, dh_record read,     \
						  dh_record write)                       \
	{                                                                                \
		const struct dh_seen s = {c, c, read, write};                            \
		uint32_t site = 0;                                                       \
		if (!dh_##kind##_over(addr, dh_mask_of(addr, size), false, &site, pc,    \
				      &s))                                               \
			next(addr, pc, c, read, write);                                  \
	}

OVER(read, 1, rest_read1)
OVER(read, 2, rest_read2)
OVER(read, 4, rest_read4)
OVER(write, 1, after_write1)
OVER(write, 2, after_write2)
OVER(write, 4, after_write4)

/* What finds several reads, */
#define SEVERAL_read(size, addr, pc, s)                                                  \
	do {                                                                             \
		if (size != DH_GRANULE || !dh_set_recent((s).read))                      \
			known_read##size(addr, pc, (s).granule, (s).read);               \
	} while (0)
#define SEVERAL_write(size, addr, pc, s) several_write##size(addr, pc, (s).granule)

/* and what is not so simple. */
#define NEXT_read1  over_read1
#define NEXT_read2  over_read2
#define NEXT_read4  over_read4
#define NEXT_read8  rejoin_read8
#define NEXT_write1 over_write1
#define NEXT_write2 over_write2
#define NEXT_write4 over_write4
#define NEXT_write8 after_write8

/* Where a function has just been entered no site is ready, so that all of these are in vain: it
 * is made ready before the next one, and then they begin once more. Writes to whole granules go
 * on, since the last step is what counts which granules get elders often, to be split (elders.h):
 * without them xz took 5 % more memory, and no less time. */
#define UNLESS_LATE_read(size, next, addr, pc, c, read, write)                           \
	do {                                                                             \
		if (DH_UNLIKELY(!dh_thread_base()->top->node))                           \
			late_read##size(addr, pc, c, read, write);                       \
		else                                                                     \
			next(addr, pc, c, read, write);                                  \
	} while (0)
#define UNLESS_LATE_write(size, next, addr, pc, c, read, write)                          \
	next(addr, pc, c, read, write)

#define LATE(size)                                                                       \
	static void whole_read##size(uintptr_t addr, uint64_t pc, struct dh_cell *c,     \
				     dh_record read, dh_record write);                   \
	static DH_NOINLINE void late_read##size(uintptr_t addr, uint64_t pc,             \
						struct dh_cell *c, dh_record read,       \
						dh_record write)                         \
	{                                                                                \
		if (dh_node_at_hand(dh_thread_base()))                                   \
			whole_read##size(addr, pc, c, read, write);                      \
		else                                                                     \
			NEXT_read##size(addr, pc, c, read, write);                       \
	}

LATE(1)
LATE(2)
LATE(4)
LATE(8)

#define SIMPLE(kind, size)                                                               \
	static void late_fine_##kind##size(uintptr_t addr, uint64_t pc,                  \
					   struct dh_cell *c, struct dh_cell *at);       \
	static DH_NOINLINE void whole_##kind##size(uintptr_t addr, uint64_t pc,          \
						   struct dh_cell *c, dh_record read,    \
						   dh_record write)                      \
	{                                                                                \
		const struct dh_seen s = {c, c, read, write};                            \
		if (!dh_access_simply(addr, size, IS_WRITE(kind), pc, &s))               \
			UNLESS_LATE_##kind(size, NEXT_##kind##size, addr, pc, c, read,   \
					   write);                                       \
	}                                                                                \
	static DH_NOINLINE void fine_##kind##size(uintptr_t addr, uint64_t pc,           \
						  struct dh_cell *c, struct dh_cell *at) \
	{                                                                                \
		const struct dh_self *t = dh_thread_base();                              \
		const dh_record read = IS_WRITE(kind) ? 0 : DH_LOAD(&at->read);          \
		const struct dh_seen s = {c, at, read, DH_LOAD(&at->write)};             \
		if (dh_fine_##kind(addr, size, pc, &s))                                  \
			return;                                                          \
		if (DH_UNLIKELY(t->simply && !t->top->node))                             \
			late_fine_##kind##size(addr, pc, c, at);                         \
		else                                                                     \
			first_##kind##size(addr, pc, c);                                 \
	}                                                                                \
	static DH_NOINLINE void late_fine_##kind##size(uintptr_t addr, uint64_t pc,      \
						       struct dh_cell *c,                \
						       struct dh_cell *at)               \
	{                                                                                \
		if (dh_node_at_hand(dh_thread_base()))                                   \
			fine_##kind##size(addr, pc, c, at);                              \
		else                                                                     \
			first_##kind##size(addr, pc, c);                                 \
	}

SIMPLE(read, 1)
SIMPLE(read, 2)
SIMPLE(read, 4)
SIMPLE(read, 8)
SIMPLE(write, 1)
SIMPLE(write, 2)
SIMPLE(write, 4)
SIMPLE(write, 8)

/* Before these, in parts of granules: what is of the same time frame as the thread's own there. */
#define MORE(kind, size, next)                                                           \
	static DH_NOINLINE void more_##kind##size(uintptr_t addr, uint64_t pc,           \
						  struct dh_cell *c, dh_record read,     \
						  dh_record write)                       \
	{                                                                                \
		const struct dh_seen s = {c, c, read, write};                            \
		uint32_t site = 0;                                                       \
		if (!dh_##kind##_over(addr, dh_mask_of(addr, size), true, &site, pc,     \
				      &s))                                               \
			UNLESS_LATE_##kind(size, next, addr, pc, c, read, write);        \
	}

MORE(read, 1, rest_read1)
MORE(read, 2, rest_read2)
MORE(read, 4, rest_read4)
MORE(write, 1, after_write1)
MORE(write, 2, after_write2)
MORE(write, 4, after_write4)

/* Before that where many accesses of a time frame are alike: as the last one at that place. */
#define RECALL(kind)                                                                     \
	static DH_NOINLINE void recall_##kind##8(uintptr_t addr, uint64_t pc,            \
						 struct dh_cell *c, dh_record read,      \
						 dh_record write)                        \
	{                                                                                \
		const struct dh_seen s = {c, c, read, write};                            \
		if (!dh_##kind##_recalled(addr, pc, &s))                                 \
			whole_##kind##8(addr, pc, c, read, write);                       \
	}

RECALL(read)
RECALL(write)

static DH_NOINLINE void met_read8(uintptr_t addr, uint64_t pc, struct dh_cell *c,
				  dh_record read, dh_record write)
{
	const struct dh_seen s = {c, c, read, write};
	if (!dh_read_met(&s))
		whole_read8(addr, pc, c, read, write);
}

#define more_read8  whole_read8
#define more_write8 whole_write8
#define WHOLE(kind, size, addr, pc, s)                                                   \
	do {                                                                             \
		if (dh_is_more(&(s), size, IS_WRITE(kind)))                              \
			more_##kind##size(addr, pc, (s).c, (s).read, (s).write);         \
		else if (size != DH_GRANULE)                                             \
			whole_##kind##size(addr, pc, (s).c, (s).read, (s).write);        \
		else if (!IS_WRITE(kind) && dh_set_recent((s).read))                     \
			met_read8(addr, pc, (s).c, (s).read, (s).write);                 \
		else if (dh_recalls(dh_thread_self()))                                   \
			recall_##kind##8(addr, pc, (s).c, (s).read, (s).write);          \
		else                                                                     \
			whole_##kind##8(addr, pc, (s).c, (s).read, (s).write);           \
	} while (0)

#endif
