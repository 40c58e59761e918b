/* SPDX-License-Identifier: MIT */
/*
 * Asynchronous input and output: what is read into counts as written, and what is written
 * from as read, when it begins; nobody may touch it before the end was heard of. Who asks
 * and hears that it is over comes after who began it.
 */
#define _GNU_SOURCE
#include <aio.h>
#include <errno.h>
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"
#include "runtime/intercept/watch.h"
#include "runtime/sync.h"

static void begins(const void *control, const volatile void *memory, size_t size,
		   bool write, uint64_t pc)
{
	struct dh_self *t = dh_watched();
	const void *at = (const void *)(uintptr_t)memory;
	if (write)
		dh_writes(at, size, pc);
	else
		dh_reads(at, size, pc);
	if (t)
		dh_sync_release_join(t, (uintptr_t)control);
}

static void has_ended(const void *control)
{
	struct dh_self *t = dh_watched();
	if (t)
		dh_sync_acquire(t, (uintptr_t)control);
}

#define BEGIN(name, type, write)                                                         \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(struct type *control)                                         \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		DH_READS_OBJECT(control, pc);                                            \
		begins(control, control->aio_buf, control->aio_nbytes, write, pc);       \
		return DH_REAL(name)(control);                                           \
	}
BEGIN(aio_read, aiocb, true)
BEGIN(aio_read64, aiocb64, true)
BEGIN(aio_write, aiocb, false)
BEGIN(aio_write64, aiocb64, false)

#define ASK(name, type)                                                                  \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(const struct type *control)                                   \
	{                                                                                \
		int r = DH_REAL(name)(control);                                          \
		if (r != EINPROGRESS)                                                    \
			has_ended(control);                                              \
		return r;                                                                \
	}
ASK(aio_error, aiocb)
ASK(aio_error64, aiocb64)

#define END(name, type)                                                                  \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT ssize_t name(struct type *control)                                     \
	{                                                                                \
		ssize_t r = DH_REAL(name)(control);                                      \
		has_ended(control);                                                      \
		return r;                                                                \
	}
END(aio_return, aiocb)
END(aio_return64, aiocb64)
