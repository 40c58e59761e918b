/* SPDX-License-Identifier: MIT */
/*
 * The entry points that compilers emit for plain memory accesses and for function
 * entry and exit. The hot ones are the fast path of access.h and nothing else.
 */
#include "runtime/abi.h"
#include "runtime/loose.h"
#include "runtime/steps.h"
#include "runtime/two_granules.h"

/* ---- aligned accesses ---- */

/* The compiler takes it for aligned, since the program has cast a pointer: x86 does such
 * accesses all the same. */
static DH_NOINLINE void astray(uintptr_t addr, unsigned size, bool write, uint64_t pc)
{
	dh_loose(addr, size, write, pc);
}

/* Looks at the cells of `at`, and goes on with one of these; none: if there are none. */
#define LOOK(glance, kind, size, at, pc, none)                                           \
	do {                                                                             \
		struct dh_seen s;                                                        \
		const enum dh_sight sight = glance(at, size, IS_WRITE(kind), &s);        \
		if (sight != DH_SIGHT_REPEAT && DH_UNLIKELY((at) % (size) != 0)) {       \
			astray(at, size, IS_WRITE(kind), pc);                            \
			break;                                                           \
		}                                                                        \
		switch (sight) {                                                         \
		case DH_SIGHT_REPEAT:                                                    \
			break;                                                           \
		case DH_SIGHT_NONE:                                                      \
			none;                                                            \
			break;                                                           \
		case DH_SIGHT_WHOLE:                                                     \
			WHOLE(kind, size, at, pc, s);                                    \
			break;                                                           \
		case DH_SIGHT_FINE:                                                      \
			fine_##kind##size(at, pc, s.granule, s.c);                       \
			break;                                                           \
		case DH_SIGHT_SEVERAL:                                                   \
			SEVERAL_##kind(size, at, pc, s);                                 \
			break;                                                           \
		}                                                                        \
	} while (0)

/* No cells at hand: with an engine that has knowledge of lines, or cells aside. */
#define ELSEWHERE(kind, size)                                                            \
	static DH_NOINLINE void tell_##kind##size(uintptr_t addr, uint64_t pc)           \
	{                                                                                \
		const bool write = IS_WRITE(kind);                                       \
		dh_access_told(addr, size | write << DH_TOLD_FLAGS, pc, NULL);           \
	}                                                                                \
	static DH_NOINLINE void elsewhere_##kind##size(uintptr_t addr, uint64_t pc)      \
	{                                                                                \
		struct dh_self *t = dh_thread_self();                                    \
		struct dh_lines *ls = &t->lines;                                         \
		if (!ls->at) {                                                           \
			if (t->now) /* else nobody is watched */                         \
				tell_##kind##size(addr, pc);                             \
			return;                                                          \
		}                                                                        \
		struct dh_line *l = dh_line_of(ls, addr >> DH_LINE_BITS);                \
		if (dh_lines_have(ls, l, addr, size, IS_WRITE(kind)))                    \
			return;                                                          \
		if (l->direct && t->simply && dh_line_is_direct(l, addr)) {              \
			uintptr_t at = dh_line_aside(ls, l, addr & -(uintptr_t)size);    \
			LOOK(dh_aside_glance, kind, size, at, pc,                        \
			     tell_##kind##size(at, pc));                                 \
		} else {                                                                 \
			ls->first[dh_line_kind(size, IS_WRITE(kind))](addr, pc, l);      \
		}                                                                        \
	}

ELSEWHERE(read, 1)
ELSEWHERE(read, 2)
ELSEWHERE(read, 4)
ELSEWHERE(read, 8)
ELSEWHERE(write, 1)
ELSEWHERE(write, 2)
ELSEWHERE(write, 4)
ELSEWHERE(write, 8)

#define DO(kind, size, addr, pc)                                                         \
	LOOK(dh_access_glance, kind, size, addr, pc, elsewhere_##kind##size(addr, pc))

#define ACCESS(kind, size)                                                               \
	DH_EXPORT void __tsan_##kind##size(void *addr);                                  \
	void __tsan_##kind##size(void *addr)                                             \
	{                                                                                \
		DO(kind, size, (uintptr_t)addr, DH_CALLER());                            \
	}                                                                                \
	DH_EXPORT void __tsan_##kind##size##_pc(void *addr, void *pc);                   \
	void __tsan_##kind##size##_pc(void *addr, void *pc)                              \
	{                                                                                \
		DO(kind, size, (uintptr_t)addr, (uint64_t)(uintptr_t)pc);                \
	}                                                                                \
	DH_EXPORT void __tsan_volatile_##kind##size(void *addr);                         \
	void __tsan_volatile_##kind##size(void *addr)                                    \
	{                                                                                \
		DO(kind, size, (uintptr_t)addr, DH_CALLER());                            \
	}

ACCESS(read, 1)
ACCESS(read, 2)
ACCESS(read, 4)
ACCESS(read, 8)
ACCESS(write, 1)
ACCESS(write, 2)
ACCESS(write, 4)
ACCESS(write, 8)

/* Sixteen bytes are two granules. What one of them has found goes on with these: */
#define GO_ON_read(addr, pc, c, word)                                                    \
	do {                                                                             \
		if (dh_record_is_tag(word))                                              \
			known_read8(addr, pc, c, word);                                  \
		else                                                                     \
			rejoin_read8(addr, pc, c, word, DH_LOAD(&(c)->write));           \
	} while (0)
#define GO_ON_write(addr, pc, c, word) rest_write8(addr, pc, c, 0, word)

/* Before that: */
#define BOTH_read(t, addr, pc, s)                                                        \
	(dh_two_read(t, addr, pc, s) || dh_two_beside(t, addr, pc, s))
#define BOTH_write		   dh_two_after
#define JOIN_read		   dh_two_beside
#define JOIN_write(t, addr, pc, s) false

#define TWO(kind)                                                                        \
	static DH_NOINLINE void apart_##kind##16(uintptr_t addr, uint64_t pc)            \
	{                                                                                \
		DO(kind, 8, addr, pc);                                                   \
		DO(kind, 8, addr + 8, pc);                                               \
	}                                                                                \
	static DH_NOINLINE void whole_##kind##16(uintptr_t addr, uint64_t pc,            \
						 struct dh_cell *c, dh_record first,     \
						 dh_record second)                       \
	{                                                                                \
		const bool write = IS_WRITE(kind);                                       \
		struct dh_self *t = dh_thread_base();                                    \
		uint32_t site = 0;                                                       \
		if (DH_UNLIKELY(!t->simply || t->alike)) {                               \
			apart_##kind##16(addr, pc);                                      \
			return;                                                          \
		}                                                                        \
		const struct dh_seen_two s = {c, {first, second}};                       \
		if (BOTH_##kind(t, addr, pc, &s))                                        \
			return;                                                          \
		if (!dh_one_simply(t, addr, write, pc, c, first, &site))                 \
			GO_ON_##kind(addr, pc, c, first);                                \
		if (!dh_one_simply(t, addr + 8, write, pc, c + 1, second, &site))        \
			GO_ON_##kind(addr + 8, pc, c + 1, second);                       \
	}                                                                                \
	static DH_NOINLINE void several_##kind##16(uintptr_t addr, uint64_t pc,          \
						   struct dh_cell *c, dh_record first,   \
						   dh_record second)                     \
	{                                                                                \
		const struct dh_seen_two s = {c, {first, second}};                       \
		struct dh_self *t = dh_thread_base();                                    \
		if (!IS_WRITE(kind) && dh_two_known(&s))                                 \
			return;                                                          \
		if (!t->simply || t->alike || !JOIN_##kind(t, addr, pc, &s))             \
			apart_##kind##16(addr, pc);                                      \
	}

TWO(read)
TWO(write)

#define DO16(kind, addr, pc)                                                             \
	do {                                                                             \
		struct dh_seen_two s;                                                    \
		const enum dh_sight sight = dh_two_glance(addr, IS_WRITE(kind), &s);     \
		if (sight != DH_SIGHT_REPEAT && DH_UNLIKELY((addr) % 8 != 0)) {          \
			apart_##kind##16(addr, pc);                                      \
			break;                                                           \
		}                                                                        \
		switch (sight) {                                                         \
		case DH_SIGHT_REPEAT:                                                    \
			break;                                                           \
		case DH_SIGHT_WHOLE:                                                     \
			whole_##kind##16(addr, pc, s.c, s.word[0], s.word[1]);           \
			break;                                                           \
		case DH_SIGHT_SEVERAL:                                                   \
			if (IS_WRITE(kind) || !dh_two_recent(&s))                        \
				several_##kind##16(addr, pc, s.c, s.word[0], s.word[1]); \
			break;                                                           \
		default:                                                                 \
			apart_##kind##16(addr, pc);                                      \
		}                                                                        \
	} while (0)

#define ACCESS16(kind)                                                                   \
	DH_EXPORT void __tsan_##kind##16(void *addr);                                    \
	void __tsan_##kind##16(void *addr)                                               \
	{                                                                                \
		DO16(kind, (uintptr_t)addr, DH_CALLER());                                \
	}                                                                                \
	DH_EXPORT void __tsan_##kind##16_pc(void *addr, void *pc);                       \
	void __tsan_##kind##16_pc(void *addr, void *pc)                                  \
	{                                                                                \
		DO16(kind, (uintptr_t)addr, (uint64_t)(uintptr_t)pc);                    \
	}                                                                                \
	DH_EXPORT void __tsan_volatile_##kind##16(void *addr);                           \
	void __tsan_volatile_##kind##16(void *addr)                                      \
	{                                                                                \
		DO16(kind, (uintptr_t)addr, DH_CALLER());                                \
	}

ACCESS16(read)
ACCESS16(write)

/* A read and a write of the same bytes: the write covers the read. */
#define READ_WRITE(bits)                                                                 \
	DH_EXPORT void __tsan_read_write##bits(void *addr);                              \
	void __tsan_read_write##bits(void *addr)                                         \
	{                                                                                \
		DO(write, bits, (uintptr_t)addr, DH_CALLER());                           \
	}

READ_WRITE(1)
READ_WRITE(2)
READ_WRITE(4)
READ_WRITE(8)

DH_EXPORT void __tsan_read_write16(void *addr);
void __tsan_read_write16(void *addr)
{
	DO16(write, (uintptr_t)addr, DH_CALLER());
}

/* ---- unaligned accesses ---- */

/* The compiler knows too little of the address; mostly it is aligned after all. */
#define LOOSE(kind, size, addr, pc)                                                      \
	do {                                                                             \
		if (DH_LIKELY((addr) % (size) == 0))                                     \
			DO(kind, size, addr, pc);                                        \
		else                                                                     \
			dh_loose(addr, size, #kind[0] == 'w', pc);                       \
	} while (0)

#define LOOSE16(kind, addr, pc)                                                          \
	do {                                                                             \
		if (DH_LIKELY((addr) % 8 == 0))                                          \
			DO16(kind, addr, pc);                                            \
		else                                                                     \
			dh_access_range(addr, 16, #kind[0] == 'w' ? DH_ACCESS_WRITE : 0, \
					pc);                                             \
	} while (0)

#define UNALIGNED_AS(name, kind, size)                                                   \
	DH_EXPORT void __tsan_unaligned_##name##size(void *addr);                        \
	void __tsan_unaligned_##name##size(void *addr)                                   \
	{                                                                                \
		uintptr_t at = (uintptr_t)addr;                                          \
		uint64_t pc = DH_CALLER();                                               \
		LOOSE(kind, size, at, pc);                                               \
	}

#define UNALIGNED16_AS(name, kind)                                                       \
	DH_EXPORT void __tsan_unaligned_##name##16(void *addr);                          \
	void __tsan_unaligned_##name##16(void *addr)                                     \
	{                                                                                \
		uintptr_t at = (uintptr_t)addr;                                          \
		uint64_t pc = DH_CALLER();                                               \
		LOOSE16(kind, at, pc);                                                   \
	}

#define UNALIGNED(name, kind)                                                            \
	UNALIGNED_AS(name, kind, 1)                                                      \
	UNALIGNED_AS(name, kind, 2)                                                      \
	UNALIGNED_AS(name, kind, 4)                                                      \
	UNALIGNED_AS(name, kind, 8)                                                      \
	UNALIGNED16_AS(name, kind)

UNALIGNED(read, read)
UNALIGNED(write, write)
UNALIGNED(volatile_read, read)
UNALIGNED(volatile_write, write)
UNALIGNED(read_write, write)

/* ---- ranges ---- */

/* gcc has unaligned accesses told as ranges. */
DH_INLINE void range(uintptr_t addr, uintptr_t size, bool write, uint64_t pc)
{
	if (size - 1 < DH_GRANULE)
		dh_loose(addr, (unsigned)size, write, pc);
	else
		dh_access_range(addr, size, write ? DH_ACCESS_WRITE : 0, pc);
}

DH_EXPORT void __tsan_read_range(void *addr, uintptr_t size);
void __tsan_read_range(void *addr, uintptr_t size)
{
	range((uintptr_t)addr, size, false, DH_CALLER());
}

DH_EXPORT void __tsan_write_range(void *addr, uintptr_t size);
void __tsan_write_range(void *addr, uintptr_t size)
{
	range((uintptr_t)addr, size, true, DH_CALLER());
}

DH_EXPORT void __tsan_read_range_pc(void *addr, uintptr_t size, void *pc);
void __tsan_read_range_pc(void *addr, uintptr_t size, void *pc)
{
	range((uintptr_t)addr, size, false, (uint64_t)(uintptr_t)pc);
}

DH_EXPORT void __tsan_write_range_pc(void *addr, uintptr_t size, void *pc);
void __tsan_write_range_pc(void *addr, uintptr_t size, void *pc)
{
	range((uintptr_t)addr, size, true, (uint64_t)(uintptr_t)pc);
}

/* ---- virtual table pointers ---- */

/* Destructors store the pointer again that is there already; that is no write. */
DH_EXPORT void __tsan_vptr_update(void **addr, void *value);
void __tsan_vptr_update(void **addr, void *value)
{
	if (*addr != value)
		DO(write, 8, (uintptr_t)addr, DH_CALLER());
}

DH_EXPORT void __tsan_vptr_read(void **addr);
void __tsan_vptr_read(void **addr)
{
	DO(read, 8, (uintptr_t)addr, DH_CALLER());
}

/* ---- functions ---- */

DH_EXPORT void __tsan_func_entry(void *pc);
void __tsan_func_entry(void *pc)
{
	dh_thread_enter(dh_thread_self(), (uint64_t)(uintptr_t)pc);
}

DH_EXPORT void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
	struct dh_self *t = dh_thread_self();
	if (DH_LIKELY(t->state != NULL))
		dh_thread_exit(t);
}
