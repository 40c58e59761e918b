/* SPDX-License-Identifier: MIT */
/*
 * Entry points for plain accesses and for functions that return at once. By themselves
 * and with empty.c: a runtime library that does nothing. In place of abi_access.c: the
 * runtime without accesses (run_kernels, stages()).
 */
#include "runtime/abi.h"

#define PLAIN(name)                                                                      \
	DH_EXPORT void __tsan_##name(void *addr);                                        \
	void __tsan_##name(void *addr)                                                   \
	{                                                                                \
		(void)addr;                                                              \
	}

#define ACCESS(size)                                                                     \
	PLAIN(read##size)                                                                \
	PLAIN(write##size)                                                               \
	PLAIN(read_write##size)                                                          \
	PLAIN(unaligned_read##size)                                                      \
	PLAIN(unaligned_write##size)                                                     \
	PLAIN(unaligned_read_write##size)

ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)
PLAIN(vptr_read)

#define RANGE(name)                                                                      \
	DH_EXPORT void __tsan_##name(void *addr, uintptr_t size);                        \
	void __tsan_##name(void *addr, uintptr_t size)                                   \
	{                                                                                \
		(void)addr, (void)size;                                                  \
	}

RANGE(read_range)
RANGE(write_range)
