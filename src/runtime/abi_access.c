/* SPDX-License-Identifier: MIT */
/*
 * The entry points that compilers emit for plain memory accesses and for function
 * entry and exit. The hot ones are the fast path of access.h and nothing else.
 */
#include "runtime/abi.h"
#include "runtime/aligned.h"

/* ---- aligned accesses ---- */

/* What is not a repeat at first sight is for a function of its own, the first access of a
 * time frame for another, and that from a place that has not been met lately for a third,
 * so that the common ones are leaves without a stack frame. */
#define FIRST(kind, size)                                                                \
	static void kind##size##_unsited(uintptr_t addr, uint64_t pc,                    \
					 struct dh_cell *c);                             \
	static DH_NOINLINE void first_##kind##size(uintptr_t addr, uint64_t pc,          \
						   struct dh_cell *c)                    \
	{                                                                                \
		if (!dh_access_first(addr, size, #kind[0] == 'w', pc, c))                \
			kind##size##_unsited(addr, pc, c);                               \
	}                                                                                \
	static DH_NOINLINE void simple_##kind##size(uintptr_t addr, uint64_t pc,         \
						    struct dh_cell *c)                   \
	{                                                                                \
		if (!dh_access_simply(addr, size, #kind[0] == 'w', pc, c))               \
			first_##kind##size(addr, pc, c);                                 \
	}                                                                                \
	static DH_NOINLINE void kind##size##_unsited(uintptr_t addr, uint64_t pc,        \
						     struct dh_cell *c)                  \
	{                                                                                \
		if (dh_access_unsited(addr, size, #kind[0] == 'w', pc))                  \
			first_##kind##size(addr, pc, c);                                 \
	}                                                                                \
	static DH_NOINLINE void several_##kind##size(uintptr_t addr, uint64_t pc,        \
						     struct dh_cell *c)                  \
	{                                                                                \
		if (!dh_access_among_several(addr, size, #kind[0] == 'w', pc, c))        \
			first_##kind##size(addr, pc, c);                                 \
	}                                                                                \
	static DH_NOINLINE void kind##size##_there(uintptr_t addr, uint64_t pc,          \
						   struct dh_cell *c)                    \
	{                                                                                \
		enum dh_glance g = dh_access_there(addr, size, #kind[0] == 'w', c);      \
		if (g == DH_GLANCE_FIRST)                                                \
			simple_##kind##size(addr, pc, c);                                \
		else                                                                     \
			several_##kind##size(addr, pc, c);                               \
	}                                                                                \
	static DH_NOINLINE void kind##size##_aside(uintptr_t addr, uint64_t pc)          \
	{                                                                                \
		struct dh_self *t = dh_thread_base();                                    \
		uintptr_t start = addr & -(uintptr_t)size;                               \
		uintptr_t aside = dh_lines_aside(&t->lines, t->simply, start);           \
		struct dh_cell *c;                                                       \
		if (!aside)                                                              \
			first_##kind##size(addr, pc, NULL);                              \
		else if (!dh_access_repeats(aside, size, #kind[0] == 'w', &c))           \
			kind##size##_there(aside, pc, c);                                \
	}                                                                                \
	static DH_NOINLINE void kind##size##_elsewhere(uintptr_t addr, uint64_t pc)      \
	{                                                                                \
		uintptr_t start = addr & -(uintptr_t)size;                               \
		if (!dh_lines_have(&dh_thread_base()->lines, start, size,                \
				   #kind[0] == 'w'))                                     \
			kind##size##_aside(addr, pc);                                    \
	}

FIRST(read, 1)
FIRST(read, 2)
FIRST(read, 4)
FIRST(read, 8)
FIRST(write, 1)
FIRST(write, 2)
FIRST(write, 4)
FIRST(write, 8)

#define DO(kind, size, addr, pc)                                                         \
	do {                                                                             \
		struct dh_cell *c;                                                       \
		if (DH_LIKELY(dh_access_repeats(addr, size, #kind[0] == 'w', &c)))       \
			break;                                                           \
		if (DH_LIKELY(c != NULL))                                                \
			kind##size##_there(addr, pc, c);                                 \
		else                                                                     \
			kind##size##_elsewhere(addr, pc);                                \
	} while (0)

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

/* Sixteen bytes are two granules. */
#define ACCESS16(kind)                                                                   \
	DH_EXPORT void __tsan_##kind##16(void *addr);                                    \
	void __tsan_##kind##16(void *addr)                                               \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		DO(kind, 8, (uintptr_t)addr, pc);                                        \
		DO(kind, 8, (uintptr_t)addr + 8, pc);                                    \
	}                                                                                \
	DH_EXPORT void __tsan_##kind##16_pc(void *addr, void *pc);                       \
	void __tsan_##kind##16_pc(void *addr, void *pc)                                  \
	{                                                                                \
		DO(kind, 8, (uintptr_t)addr, (uint64_t)(uintptr_t)pc);                   \
		DO(kind, 8, (uintptr_t)addr + 8, (uint64_t)(uintptr_t)pc);               \
	}                                                                                \
	DH_EXPORT void __tsan_volatile_##kind##16(void *addr);                           \
	void __tsan_volatile_##kind##16(void *addr)                                      \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		DO(kind, 8, (uintptr_t)addr, pc);                                        \
		DO(kind, 8, (uintptr_t)addr + 8, pc);                                    \
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
	uint64_t pc = DH_CALLER();
	DO(write, 8, (uintptr_t)addr, pc);
	DO(write, 8, (uintptr_t)addr + 8, pc);
}

/* ---- unaligned accesses ---- */

/* Is the access to some bytes of one granule a repeat? As dh_access_repeats(); what is
 * read at any offset is often read by several threads, so their places count too. */
DH_INLINE bool part_repeats(uintptr_t addr, unsigned size, bool write)
{
	const uint64_t now = dh_thread_self()->now;
	const unsigned mask = dh_mask_of(addr, size);
	uintptr_t base = dh_flat_base(addr, 0);
	if (DH_UNLIKELY(base <= 1))
		return false;
	const struct dh_cell *c = dh_flat_cell_at(base, addr, 0);
	if (dh_cell_repeats(c, now, mask, write))
		return true;
	if (write)
		return false;
	dh_record read;
	const dh_record *place = dh_place_in(c, addr, now, 0, &read);
	return place ? dh_record_covers(DH_LOAD(place), now, mask)
		     : DH_LOAD(&c->write) == dh_tag(DH_TAG_CONST);
}

/* An access that is not aligned, to one granule or two. */
DH_INLINE void loose(uintptr_t addr, unsigned size, bool write, uint64_t pc)
{
	const unsigned flags = write ? DH_ACCESS_WRITE : 0, here = 8 - addr % 8;
	if (size <= here) {
		if (!part_repeats(addr, size, write))
			dh_access_some(addr & ~(uintptr_t)7, dh_mask_of(addr, size),
				       flags, pc);
	} else if (!part_repeats(addr, here, write) ||
		   !part_repeats(addr + here, size - here, write)) {
		dh_access_range(addr, size, flags, pc);
	}
}

/* The compiler knows too little of the address; mostly it is aligned after all. */
#define LOOSE(kind, size, addr, pc)                                                      \
	do {                                                                             \
		if (DH_LIKELY((addr) % (size) == 0))                                     \
			DO(kind, size, addr, pc);                                        \
		else                                                                     \
			loose(addr, size, #kind[0] == 'w', pc);                          \
	} while (0)

#define LOOSE16(kind, addr, pc)                                                          \
	do {                                                                             \
		if (DH_LIKELY((addr) % 8 == 0)) {                                        \
			DO(kind, 8, addr, pc);                                           \
			DO(kind, 8, (addr) + 8, pc);                                     \
		} else {                                                                 \
			dh_access_range(addr, 16, #kind[0] == 'w' ? DH_ACCESS_WRITE : 0, \
					pc);                                             \
		}                                                                        \
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

DH_EXPORT void __tsan_read_range(void *addr, uintptr_t size);
void __tsan_read_range(void *addr, uintptr_t size)
{
	dh_access_range((uintptr_t)addr, size, 0, DH_CALLER());
}

DH_EXPORT void __tsan_write_range(void *addr, uintptr_t size);
void __tsan_write_range(void *addr, uintptr_t size)
{
	dh_access_range((uintptr_t)addr, size, DH_ACCESS_WRITE, DH_CALLER());
}

DH_EXPORT void __tsan_read_range_pc(void *addr, uintptr_t size, void *pc);
void __tsan_read_range_pc(void *addr, uintptr_t size, void *pc)
{
	dh_access_range((uintptr_t)addr, size, 0, (uint64_t)(uintptr_t)pc);
}

DH_EXPORT void __tsan_write_range_pc(void *addr, uintptr_t size, void *pc);
void __tsan_write_range_pc(void *addr, uintptr_t size, void *pc)
{
	dh_access_range((uintptr_t)addr, size, DH_ACCESS_WRITE, (uint64_t)(uintptr_t)pc);
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
