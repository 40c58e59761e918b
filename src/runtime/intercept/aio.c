/* SPDX-License-Identifier: MIT */
/*
 * Asynchronous input and output: what is read into counts as written, and what is written
 * from as read, when it begins; nobody may touch it before the end was heard of. Who asks
 * and hears that it is over comes after who began it, and after who wrote what was read out of
 * a pipe or the like (fds.h).
 */
#define _GNU_SOURCE
#include <aio.h>
#include <errno.h>
#include "runtime/fds.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"
#include "runtime/intercept/watch.h"
#include "runtime/sync.h"

static void begins(const void *control, int fd, const volatile void *memory, size_t size,
		   bool reads, uint64_t pc)
{
	struct dh_self *t = dh_watched();
	const void *at = (const void *)(uintptr_t)memory;
	if (reads) {
		dh_writes(at, size, pc);
		dh_fd_used(fd, pc);
	} else {
		dh_reads(at, size, pc);
		dh_fd_writes(fd, pc);
	}
	if (t)
		dh_sync_release_join(t, (uintptr_t)control);
}

static void has_ended(const void *control, int fd)
{
	struct dh_self *t = dh_watched();
	if (t)
		dh_sync_acquire(t, (uintptr_t)control);
	dh_fd_acquire(fd);
}

#define BEGIN(name, type, reads)                                                         \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(struct type *control)                                         \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		DH_READS_OBJECT(control, pc);                                            \
		begins(control, control->aio_fildes, control->aio_buf,                   \
		       control->aio_nbytes, reads, pc);                                  \
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
			has_ended(control, control->aio_fildes);                         \
		return r;                                                                \
	}
ASK(aio_error, aiocb)
ASK(aio_error64, aiocb64)

#define END(name, type)                                                                  \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT ssize_t name(struct type *control)                                     \
	{                                                                                \
		ssize_t r = DH_REAL(name)(control);                                      \
		has_ended(control, control->aio_fildes);                                 \
		return r;                                                                \
	}
END(aio_return, aiocb)
END(aio_return64, aiocb64)

/* Several at once; NULL ones, and those that are to do nothing, are passed over. */
#define LIST(name, type)                                                                 \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(int mode, struct type *const list[], int count,               \
			   struct sigevent *event)                                       \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		DH_READS_OBJECT(event, pc);                                              \
		dh_reads(list, (size_t)DH_MAX(count, 0) * sizeof *list, pc);             \
		for (int i = 0; i < count; i++) {                                        \
			if (!list[i] || list[i]->aio_lio_opcode == LIO_NOP)              \
				continue;                                                \
			DH_READS_OBJECT(list[i], pc);                                    \
			begins(list[i], list[i]->aio_fildes, list[i]->aio_buf,           \
			       list[i]->aio_nbytes,                                      \
			       list[i]->aio_lio_opcode == LIO_READ, pc);                 \
		}                                                                        \
		int r = DH_REAL(name)(mode, list, count, event);                         \
		for (int i = 0; mode == LIO_WAIT && r == 0 && i < count; i++)            \
			if (list[i])                                                     \
				has_ended(list[i], list[i]->aio_fildes);                 \
		return r;                                                                \
	}
LIST(lio_listio, aiocb)
LIST(lio_listio64, aiocb64)
