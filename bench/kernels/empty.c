/* SPDX-License-Identifier: MIT */
/*
 * With empty_access.c and empty_calls.c a runtime library that does nothing: start-up,
 * copies, and atomics that do what the program asked for. A program on it costs what the
 * instrumentation costs by itself, the floor under any detector.
 */
#include "runtime/abi.h"

#include <string.h>

DH_EXPORT void __tsan_init(void);
void __tsan_init(void)
{
}

DH_EXPORT void *__tsan_memcpy(void *to, const void *from, size_t size);
void *__tsan_memcpy(void *to, const void *from, size_t size)
{
	return memcpy(to, from, size);
}

DH_EXPORT void *__tsan_memmove(void *to, const void *from, size_t size);
void *__tsan_memmove(void *to, const void *from, size_t size)
{
	return memmove(to, from, size);
}

DH_EXPORT void *__tsan_memset(void *to, int byte, size_t size);
void *__tsan_memset(void *to, int byte, size_t size)
{
	return memset(to, byte, size);
}

/* As strong as any order that the program may have asked for. */
#define ATOMIC_RMW(bits, name, builtin)                                                  \
	DH_EXPORT uint##bits##_t __tsan_atomic##bits##_##name(                           \
	    volatile uint##bits##_t *at, uint##bits##_t value, int order);               \
	uint##bits##_t __tsan_atomic##bits##_##name(volatile uint##bits##_t *at,         \
						    uint##bits##_t value, int order)     \
	{                                                                                \
		(void)order;                                                             \
		return builtin(at, value, __ATOMIC_SEQ_CST);                             \
	}

#define ATOMIC_SWAP(bits)                                                                \
	DH_EXPORT uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(             \
	    volatile uint##bits##_t *at, uint##bits##_t old, uint##bits##_t value,       \
	    int order, int fail);                                                        \
	uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                       \
	    volatile uint##bits##_t *at, uint##bits##_t old, uint##bits##_t value,       \
	    int order, int fail)                                                         \
	{                                                                                \
		(void)order, (void)fail;                                                 \
		__atomic_compare_exchange_n(at, &old, value, false, __ATOMIC_SEQ_CST,    \
					    __ATOMIC_SEQ_CST);                           \
		return old;                                                              \
	}

#define ATOMIC(bits)                                                                     \
	ATOMIC_RMW(bits, exchange, __atomic_exchange_n)                                  \
	ATOMIC_RMW(bits, fetch_add, __atomic_fetch_add)                                  \
	ATOMIC_RMW(bits, fetch_sub, __atomic_fetch_sub)                                  \
	ATOMIC_RMW(bits, fetch_and, __atomic_fetch_and)                                  \
	ATOMIC_RMW(bits, fetch_or, __atomic_fetch_or)                                    \
	ATOMIC_RMW(bits, fetch_xor, __atomic_fetch_xor)                                  \
	ATOMIC_SWAP(bits)                                                                \
	DH_EXPORT uint##bits##_t __tsan_atomic##bits##_load(                             \
	    const volatile uint##bits##_t *at, int order);                               \
	uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *at,     \
						  int order)                             \
	{                                                                                \
		(void)order;                                                             \
		return __atomic_load_n(at, __ATOMIC_SEQ_CST);                            \
	}                                                                                \
	DH_EXPORT void __tsan_atomic##bits##_store(volatile uint##bits##_t *at,          \
						   uint##bits##_t value, int order);     \
	void __tsan_atomic##bits##_store(volatile uint##bits##_t *at,                    \
					 uint##bits##_t value, int order)                \
	{                                                                                \
		if (order <= __ATOMIC_RELEASE)                                           \
			__atomic_store_n(at, value, __ATOMIC_RELEASE);                   \
		else                                                                     \
			__atomic_store_n(at, value, __ATOMIC_SEQ_CST);                   \
	}

ATOMIC(8)
ATOMIC(16)
ATOMIC(32)
ATOMIC(64)
