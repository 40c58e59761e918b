/* SPDX-License-Identifier: MIT */
/*
 * Reading and writing through file descriptors. What is read out of a pipe, socket or
 * the like is ordered after what was written into it (fds.h): the release comes before
 * the real write, the acquire after the real read, and before the buffer counts as
 * written.
 */
#define _GNU_SOURCE
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>
#include <fcntl.h>
#include "base/kernel.h"
#include "runtime/fds.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"
#include "runtime/intercept/vector.h"

_Noreturn void __chk_fail(void);

/* ---- into one buffer ---- */

static void has_read(int fd, void *to, ssize_t n, uint64_t pc)
{
	dh_fd_has_read(fd, n, pc);
	if (n > 0)
		dh_writes(to, (size_t)n, pc);
}

static void will_write(int fd, const void *from, size_t n, uint64_t pc)
{
	dh_reads(from, n, pc);
	dh_fd_writes(fd, pc);
}

DH_REAL_WANT(read);
DH_EXPORT ssize_t read(int fd, void *to, size_t n)
{
	ssize_t got = DH_REAL(read)(fd, to, n);
	has_read(fd, to, got, DH_CALLER());
	return got;
}

DH_REAL_WANT(write);
DH_EXPORT ssize_t write(int fd, const void *from, size_t n)
{
	uint64_t pc = DH_CALLER();
	will_write(fd, from, n, pc);
	ssize_t put = DH_REAL(write)(fd, from, n);
	dh_fd_tried(fd, put, pc);
	return put;
}

#define READ_AT(name, offset)                                                            \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT ssize_t name(int fd, void *to, size_t n, offset at)                    \
	{                                                                                \
		ssize_t got = DH_REAL(name)(fd, to, n, at);                              \
		has_read(fd, to, got, DH_CALLER());                                      \
		return got;                                                              \
	}
#define WRITE_AT(name, offset)                                                           \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT ssize_t name(int fd, const void *from, size_t n, offset at)            \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		will_write(fd, from, n, pc);                                             \
		ssize_t put = DH_REAL(name)(fd, from, n, at);                            \
		dh_fd_tried(fd, put, pc);                                                \
		return put;                                                              \
	}
READ_AT(pread, off_t)
READ_AT(pread64, off64_t)
WRITE_AT(pwrite, off_t)
WRITE_AT(pwrite64, off64_t)

/* What read() is with _FORTIFY_SOURCE. */
DH_EXPORT ssize_t __read_chk(int fd, void *to, size_t n, size_t room);
ssize_t __read_chk(int fd, void *to, size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
	ssize_t got = DH_REAL(read)(fd, to, n);
	has_read(fd, to, got, DH_CALLER());
	return got;
}

#define READ_AT_CHECKED(name, real, offset)                                              \
	DH_EXPORT ssize_t name(int fd, void *to, size_t n, offset at, size_t room);      \
	ssize_t name(int fd, void *to, size_t n, offset at, size_t room)                 \
	{                                                                                \
		if (n > room)                                                            \
			__chk_fail();                                                    \
		ssize_t got = DH_REAL(real)(fd, to, n, at);                              \
		has_read(fd, to, got, DH_CALLER());                                      \
		return got;                                                              \
	}
READ_AT_CHECKED(__pread_chk, pread, off_t)
READ_AT_CHECKED(__pread64_chk, pread64, off64_t)

/* ---- into several ---- */

static void has_read_vector(int fd, const struct iovec *v, int count, ssize_t n,
			    uint64_t pc)
{
	dh_fd_has_read(fd, n, pc);
	if (n > 0)
		dh_vector_writes(v, (size_t)count, (size_t)n, pc);
}

static void will_write_vector(int fd, const struct iovec *v, int count, uint64_t pc)
{
	if (count > 0)
		dh_vector_reads(v, (size_t)count, SIZE_MAX, pc);
	dh_fd_writes(fd, pc);
}

DH_REAL_WANT(readv);
DH_EXPORT ssize_t readv(int fd, const struct iovec *v, int count)
{
	ssize_t got = DH_REAL(readv)(fd, v, count);
	has_read_vector(fd, v, count, got, DH_CALLER());
	return got;
}

DH_REAL_WANT(writev);
DH_EXPORT ssize_t writev(int fd, const struct iovec *v, int count)
{
	uint64_t pc = DH_CALLER();
	will_write_vector(fd, v, count, pc);
	ssize_t put = DH_REAL(writev)(fd, v, count);
	dh_fd_tried(fd, put, pc);
	return put;
}

#define READ_VECTOR_AT(name, offset)                                                     \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT ssize_t name(int fd, const struct iovec *v, int count, offset at)      \
	{                                                                                \
		ssize_t got = DH_REAL(name)(fd, v, count, at);                           \
		has_read_vector(fd, v, count, got, DH_CALLER());                         \
		return got;                                                              \
	}
#define WRITE_VECTOR_AT(name, offset)                                                    \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT ssize_t name(int fd, const struct iovec *v, int count, offset at)      \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		will_write_vector(fd, v, count, pc);                                     \
		ssize_t put = DH_REAL(name)(fd, v, count, at);                           \
		dh_fd_tried(fd, put, pc);                                                \
		return put;                                                              \
	}
READ_VECTOR_AT(preadv, off_t)
READ_VECTOR_AT(preadv64, off64_t)
WRITE_VECTOR_AT(pwritev, off_t)
WRITE_VECTOR_AT(pwritev64, off64_t)

DH_REAL_WANT(preadv2);
DH_EXPORT ssize_t preadv2(int fd, const struct iovec *v, int count, off_t at, int flags)
{
	ssize_t got = DH_REAL(preadv2)(fd, v, count, at, flags);
	has_read_vector(fd, v, count, got, DH_CALLER());
	return got;
}

DH_REAL_WANT(pwritev2);
DH_EXPORT ssize_t pwritev2(int fd, const struct iovec *v, int count, off_t at, int flags)
{
	uint64_t pc = DH_CALLER();
	will_write_vector(fd, v, count, pc);
	ssize_t put = DH_REAL(pwritev2)(fd, v, count, at, flags);
	dh_fd_tried(fd, put, pc);
	return put;
}

/* ---- from one descriptor to another ---- */

#define SEND_FILE(name, offset)                                                          \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT ssize_t name(int out, int in, offset *at, size_t n)                    \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		dh_fd_used(in, pc);                                                      \
		dh_fd_writes(out, pc);                                                   \
		ssize_t sent = DH_REAL(name)(out, in, at, n);                            \
		dh_fd_tried(out, sent, pc);                                              \
		DH_WRITES_OBJECT(at, pc);                                                \
		return sent;                                                             \
	}
SEND_FILE(sendfile, off_t)
SEND_FILE(sendfile64, off64_t)

DH_REAL_WANT(copy_file_range);
DH_EXPORT ssize_t copy_file_range(int in, off64_t *from, int out, off64_t *to, size_t n,
				  unsigned flags)
{
	uint64_t pc = DH_CALLER();
	ssize_t copied = DH_REAL(copy_file_range)(in, from, out, to, n, flags);
	DH_WRITES_OBJECT(from, pc);
	DH_WRITES_OBJECT(to, pc);
	return copied;
}

/* It may wait for what is yet to be written into `in`, so that there is nothing to
 * acquire before the call, and nobody to release after it: who reads `out` will look
 * there. */
static void will_pass(int in, int out, uint64_t pc)
{
	dh_fd_used(in, pc);
	dh_fd_writes(out, pc);
	dh_fd_passes(in, out);
}

static void has_passed(int in, ssize_t n)
{
	if (n >= 0)
		dh_fd_acquire(in);
}

DH_REAL_WANT(splice);
DH_EXPORT ssize_t splice(int in, off64_t *in_at, int out, off64_t *out_at, size_t n,
			 unsigned flags)
{
	uint64_t pc = DH_CALLER();
	will_pass(in, out, pc);
	ssize_t moved = DH_REAL(splice)(in, in_at, out, out_at, n, flags);
	has_passed(in, moved);
	DH_WRITES_OBJECT(in_at, pc);
	DH_WRITES_OBJECT(out_at, pc);
	return moved;
}

DH_REAL_WANT(tee);
DH_EXPORT ssize_t tee(int in, int out, size_t n, unsigned flags)
{
	will_pass(in, out, DH_CALLER());
	ssize_t copied = DH_REAL(tee)(in, out, n, flags);
	has_passed(in, copied);
	return copied;
}

/* On the end of a pipe that is for reading it reads. */
DH_REAL_WANT(vmsplice);
DH_EXPORT ssize_t vmsplice(int fd, const struct iovec *v, size_t count, unsigned flags)
{
	uint64_t pc = DH_CALLER();
	bool reads = (DH_KERNEL_3(__NR_fcntl, fd, F_GETFL, 0) & O_ACCMODE) == O_RDONLY;
	if (!reads)
		will_write_vector(fd, v, (int)count, pc);
	ssize_t moved = DH_REAL(vmsplice)(fd, v, count, flags);
	if (reads)
		has_read_vector(fd, v, (int)count, moved, pc);
	else
		dh_fd_tried(fd, moved, pc);
	return moved;
}

/* ---- from the kernel itself ---- */

DH_REAL_WANT(getrandom);
DH_EXPORT ssize_t getrandom(void *to, size_t n, unsigned flags)
{
	ssize_t got = DH_REAL(getrandom)(to, n, flags);
	if (got > 0)
		dh_writes(to, (size_t)got, DH_CALLER());
	return got;
}

DH_REAL_WANT(getentropy);
DH_EXPORT int getentropy(void *to, size_t n)
{
	int r = DH_REAL(getentropy)(to, n);
	if (r == 0)
		dh_writes(to, n, DH_CALLER());
	return r;
}

/* ---- from one process to another ---- */

/* What the other has there is its own affair. */
DH_REAL_WANT(process_vm_readv);
DH_EXPORT ssize_t process_vm_readv(pid_t process, const struct iovec *to,
				   unsigned long count, const struct iovec *from,
				   unsigned long from_count, unsigned long flags)
{
	uint64_t pc = DH_CALLER();
	ssize_t n = DH_REAL(process_vm_readv)(process, to, count, from, from_count, flags);
	dh_reads(from, from_count * sizeof *from, pc);
	if (n > 0)
		dh_vector_writes(to, count, (size_t)n, pc);
	return n;
}

DH_REAL_WANT(process_vm_writev);
DH_EXPORT ssize_t process_vm_writev(pid_t process, const struct iovec *from,
				    unsigned long count, const struct iovec *to,
				    unsigned long to_count, unsigned long flags)
{
	uint64_t pc = DH_CALLER();
	dh_reads(to, to_count * sizeof *to, pc);
	ssize_t n = DH_REAL(process_vm_writev)(process, from, count, to, to_count, flags);
	if (n > 0)
		dh_vector_reads(from, count, (size_t)n, pc);
	return n;
}
