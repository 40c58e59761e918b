/* SPDX-License-Identifier: MIT */
/*
 * C++'s operator new and delete, all replaceable forms, by their mangled names: size_t
 * is m, std::align_val_t is St11align_val_t, std::nothrow_t is RKSt9nothrow_t.
 *
 * Where there is no memory the C++ library's own operator is asked: it calls the new
 * handler, comes back to our malloc, and throws in the end. That call is the last thing
 * that the function does, so the exception passes no frame of ours. Where the C++
 * library is out of reach (loaded for a plug-in alone) the process ends.
 */
#include "base/sys.h"
#include "runtime/abi.h"
#include "runtime/heap.h"
#include "runtime/intercept/real.h"

enum { MIN_ALIGN = 16 };

/* ---- new ---- */

static DH_COLD void *no_memory(void)
{
	static const char text[] = "deadheat: no memory left for operator new\n";
	dh_sys_write(2, text, sizeof text - 1);
	dh_sys_abort();
}

#define OR_FAIL(block, name, ...)                                                        \
	(DH_LIKELY((block) != NULL) ? (block)                                            \
	 : DH_REAL_HAS(name)	    ? DH_REAL(name)(__VA_ARGS__)                         \
				    : no_memory())

#define NEW(name)                                                                        \
	DH_EXPORT void *name(size_t size);                                               \
	DH_REAL_WANT(name);                                                              \
	void *name(size_t size)                                                          \
	{                                                                                \
		void *block = dh_heap_alloc(size, MIN_ALIGN, DH_CALLER());               \
		return OR_FAIL(block, name, size);                                       \
	}

#define NEW_NOTHROW(name)                                                                \
	DH_EXPORT void *name(size_t size, const void *nothrow);                          \
	DH_REAL_WANT(name);                                                              \
	void *name(size_t size, const void *nothrow)                                     \
	{                                                                                \
		void *block = dh_heap_alloc(size, MIN_ALIGN, DH_CALLER());               \
		return OR_FAIL(block, name, size, nothrow);                              \
	}

#define NEW_ALIGNED(name)                                                                \
	DH_EXPORT void *name(size_t size, size_t align);                                 \
	DH_REAL_WANT(name);                                                              \
	void *name(size_t size, size_t align)                                            \
	{                                                                                \
		void *block = dh_heap_alloc(size, align, DH_CALLER());                   \
		return OR_FAIL(block, name, size, align);                                \
	}

#define NEW_ALIGNED_NOTHROW(name)                                                        \
	DH_EXPORT void *name(size_t size, size_t align, const void *nothrow);            \
	DH_REAL_WANT(name);                                                              \
	void *name(size_t size, size_t align, const void *nothrow)                       \
	{                                                                                \
		void *block = dh_heap_alloc(size, align, DH_CALLER());                   \
		return OR_FAIL(block, name, size, align, nothrow);                       \
	}

NEW(_Znwm)
NEW(_Znam)
NEW_NOTHROW(_ZnwmRKSt9nothrow_t)
NEW_NOTHROW(_ZnamRKSt9nothrow_t)
NEW_ALIGNED(_ZnwmSt11align_val_t)
NEW_ALIGNED(_ZnamSt11align_val_t)
NEW_ALIGNED_NOTHROW(_ZnwmSt11align_val_tRKSt9nothrow_t)
NEW_ALIGNED_NOTHROW(_ZnamSt11align_val_tRKSt9nothrow_t)

/* ---- delete ---- */

/* Whatever else it is told (size, alignment, nothrow), the block says it all. */
#define DELETE(name, ...)                                                                \
	DH_EXPORT void name(void *block, ##__VA_ARGS__);                                 \
	void name(void *block, ##__VA_ARGS__)                                            \
	{                                                                                \
		dh_heap_free(block, DH_CALLER());                                        \
	}

DELETE(_ZdlPv)
DELETE(_ZdaPv)
DELETE(_ZdlPvm, DH_UNUSED size_t size)
DELETE(_ZdaPvm, DH_UNUSED size_t size)
DELETE(_ZdlPvRKSt9nothrow_t, DH_UNUSED const void *nothrow)
DELETE(_ZdaPvRKSt9nothrow_t, DH_UNUSED const void *nothrow)
DELETE(_ZdlPvSt11align_val_t, DH_UNUSED size_t align)
DELETE(_ZdaPvSt11align_val_t, DH_UNUSED size_t align)
DELETE(_ZdlPvmSt11align_val_t, DH_UNUSED size_t size, DH_UNUSED size_t align)
DELETE(_ZdaPvmSt11align_val_t, DH_UNUSED size_t size, DH_UNUSED size_t align)
DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, DH_UNUSED size_t align,
       DH_UNUSED const void *nothrow)
DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, DH_UNUSED size_t align,
       DH_UNUSED const void *nothrow)
