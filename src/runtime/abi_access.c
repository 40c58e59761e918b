/* SPDX-License-Identifier: MIT */
/*
 * The entry points that compilers emit for plain memory accesses and for function
 * entry and exit. The hot ones are the fast path of access.h and nothing else.
 */
#include "runtime/abi.h"
#include "runtime/access.h"

/* ---- aligned accesses ---- */

#define ACCESS(kind, bits)                                                               \
	DH_EXPORT void __tsan_##kind##bits(void *addr);                                  \
	void __tsan_##kind##bits(void *addr)                                             \
	{                                                                                \
		dh_access_##kind((uintptr_t)addr, bits, DH_CALLER());                    \
	}                                                                                \
	DH_EXPORT void __tsan_##kind##bits##_pc(void *addr, void *pc);                   \
	void __tsan_##kind##bits##_pc(void *addr, void *pc)                              \
	{                                                                                \
		dh_access_##kind((uintptr_t)addr, bits, (uint64_t)(uintptr_t)pc);        \
	}                                                                                \
	DH_EXPORT void __tsan_volatile_##kind##bits(void *addr);                         \
	void __tsan_volatile_##kind##bits(void *addr)                                    \
	{                                                                                \
		dh_access_##kind((uintptr_t)addr, bits, DH_CALLER());                    \
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
		dh_access_##kind((uintptr_t)addr, 8, pc);                                \
		dh_access_##kind((uintptr_t)addr + 8, 8, pc);                            \
	}                                                                                \
	DH_EXPORT void __tsan_##kind##16_pc(void *addr, void *pc);                       \
	void __tsan_##kind##16_pc(void *addr, void *pc)                                  \
	{                                                                                \
		dh_access_##kind((uintptr_t)addr, 8, (uint64_t)(uintptr_t)pc);           \
		dh_access_##kind((uintptr_t)addr + 8, 8, (uint64_t)(uintptr_t)pc);       \
	}                                                                                \
	DH_EXPORT void __tsan_volatile_##kind##16(void *addr);                           \
	void __tsan_volatile_##kind##16(void *addr)                                      \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		dh_access_##kind((uintptr_t)addr, 8, pc);                                \
		dh_access_##kind((uintptr_t)addr + 8, 8, pc);                            \
	}

ACCESS16(read)
ACCESS16(write)

/* A read and a write of the same bytes: the write covers the read. */
#define READ_WRITE(bits)                                                                 \
	DH_EXPORT void __tsan_read_write##bits(void *addr);                              \
	void __tsan_read_write##bits(void *addr)                                         \
	{                                                                                \
		dh_access_write((uintptr_t)addr, bits, DH_CALLER());                     \
	}                                                                                \
	DH_EXPORT void __tsan_unaligned_read_write##bits(void *addr);                    \
	void __tsan_unaligned_read_write##bits(void *addr)                               \
	{                                                                                \
		dh_access_range((uintptr_t)addr, bits, DH_ACCESS_WRITE, DH_CALLER());    \
	}

READ_WRITE(1)
READ_WRITE(2)
READ_WRITE(4)
READ_WRITE(8)

DH_EXPORT void __tsan_read_write16(void *addr);
void __tsan_read_write16(void *addr)
{
	uint64_t pc = DH_CALLER();
	dh_access_write((uintptr_t)addr, 8, pc);
	dh_access_write((uintptr_t)addr + 8, 8, pc);
}

DH_EXPORT void __tsan_unaligned_read_write16(void *addr);
void __tsan_unaligned_read_write16(void *addr)
{
	dh_access_range((uintptr_t)addr, 16, DH_ACCESS_WRITE, DH_CALLER());
}

/* ---- unaligned accesses ---- */

#define UNALIGNED(kind, bits, flags)                                                     \
	DH_EXPORT void __tsan_unaligned_##kind##bits(void *addr);                        \
	void __tsan_unaligned_##kind##bits(void *addr)                                   \
	{                                                                                \
		if (((uintptr_t)addr & (bits - 1)) == 0 && bits <= 8)                    \
			dh_access_##kind((uintptr_t)addr, bits, DH_CALLER());            \
		else                                                                     \
			dh_access_range((uintptr_t)addr, bits, flags, DH_CALLER());      \
	}                                                                                \
	DH_EXPORT void __tsan_unaligned_volatile_##kind##bits(void *addr);               \
	void __tsan_unaligned_volatile_##kind##bits(void *addr)                          \
	{                                                                                \
		dh_access_range((uintptr_t)addr, bits, flags, DH_CALLER());              \
	}

UNALIGNED(read, 1, 0)
UNALIGNED(read, 2, 0)
UNALIGNED(read, 4, 0)
UNALIGNED(read, 8, 0)
UNALIGNED(read, 16, 0)
UNALIGNED(write, 1, DH_ACCESS_WRITE)
UNALIGNED(write, 2, DH_ACCESS_WRITE)
UNALIGNED(write, 4, DH_ACCESS_WRITE)
UNALIGNED(write, 8, DH_ACCESS_WRITE)
UNALIGNED(write, 16, DH_ACCESS_WRITE)

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
		dh_access_write((uintptr_t)addr, sizeof *addr, DH_CALLER());
}

DH_EXPORT void __tsan_vptr_read(void **addr);
void __tsan_vptr_read(void **addr)
{
	dh_access_read((uintptr_t)addr, sizeof *addr, DH_CALLER());
}

/* ---- functions ---- */

DH_EXPORT void __tsan_func_entry(void *pc);
void __tsan_func_entry(void *pc)
{
	struct dh_self *t = dh_thread_self();
	if (DH_LIKELY(t->state != NULL))
		dh_thread_enter(t, (uint64_t)(uintptr_t)pc);
}

DH_EXPORT void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
	struct dh_self *t = dh_thread_self();
	if (DH_LIKELY(t->state != NULL))
		dh_thread_exit(t);
}
