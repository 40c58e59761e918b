/* SPDX-License-Identifier: MIT */
/* Making, copying and closing file descriptors, so that the ways of order that go
 * through them (fds.h) are told apart; and what the calls touch. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include "runtime/channel.h"
#include "runtime/fds.h"
#include "runtime/intercept/fork.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"
#include "runtime/report.h"
#include "runtime/ways.h"

/* ---- opening ---- */

/* The mode is there only where a file may be made. */
#define MODE_OF(flags, mode)                                                             \
	mode_t mode = 0;                                                                 \
	if ((flags)&O_CREAT || ((flags)&O_TMPFILE) == O_TMPFILE) {                       \
		va_list ap;                                                              \
		va_start(ap, flags);                                                     \
		mode = va_arg(ap, mode_t);                                               \
		va_end(ap);                                                              \
	}

#define OPEN(name)                                                                       \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(const char *path, int flags, ...)                             \
	{                                                                                \
		MODE_OF(flags, mode)                                                     \
		dh_reads_text(path, DH_CALLER());                                        \
		int fd = DH_REAL(name)(path, flags, mode);                               \
		dh_fd_made(fd);                                                          \
		return fd;                                                               \
	}
#define OPEN_AT(name)                                                                    \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(int dir, const char *path, int flags, ...)                    \
	{                                                                                \
		MODE_OF(flags, mode)                                                     \
		dh_reads_text(path, DH_CALLER());                                        \
		int fd = DH_REAL(name)(dir, path, flags, mode);                          \
		dh_fd_made(fd);                                                          \
		return fd;                                                               \
	}
#define OPEN_CHECKED(name)                                                               \
	DH_EXPORT int name(const char *path, int flags);                                 \
	DH_REAL_WANT(name);                                                              \
	int name(const char *path, int flags)                                            \
	{                                                                                \
		dh_reads_text(path, DH_CALLER());                                        \
		int fd = DH_REAL(name)(path, flags);                                     \
		dh_fd_made(fd);                                                          \
		return fd;                                                               \
	}
OPEN(open)
OPEN(open64)
OPEN_AT(openat)
OPEN_AT(openat64)
OPEN_CHECKED(__open_2)
OPEN_CHECKED(__open64_2)

#define CREATE(name)                                                                     \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(const char *path, mode_t mode)                                \
	{                                                                                \
		dh_reads_text(path, DH_CALLER());                                        \
		int fd = DH_REAL(name)(path, mode);                                      \
		dh_fd_made(fd);                                                          \
		return fd;                                                               \
	}
CREATE(creat)
CREATE(creat64)

/* ---- without a path ---- */

DH_REAL_WANT(pipe);
DH_EXPORT int pipe(int fds[2])
{
	uint64_t pc = DH_CALLER();
	int r = DH_REAL(pipe)(fds);
	if (r == 0) {
		dh_writes(fds, 2 * sizeof *fds, pc);
		dh_fd_made_pipe(fds[0], fds[1]);
	}
	return r;
}

DH_REAL_WANT(pipe2);
DH_EXPORT int pipe2(int fds[2], int flags)
{
	uint64_t pc = DH_CALLER();
	int r = DH_REAL(pipe2)(fds, flags);
	if (r == 0) {
		dh_writes(fds, 2 * sizeof *fds, pc);
		dh_fd_made_pipe(fds[0], fds[1]);
	}
	return r;
}

#define MADE_1(name, type)                                                               \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(type a)                                                       \
	{                                                                                \
		int fd = DH_REAL(name)(a);                                               \
		dh_fd_made(fd);                                                          \
		return fd;                                                               \
	}
MADE_1(epoll_create, int)
MADE_1(epoll_create1, int)
MADE_1(inotify_init1, int)

DH_REAL_WANT(eventfd);
DH_EXPORT int eventfd(unsigned count, int flags)
{
	int fd = DH_REAL(eventfd)(count, flags);
	dh_fd_made(fd);
	return fd;
}

DH_REAL_WANT(timerfd_create);
DH_EXPORT int timerfd_create(clockid_t clock, int flags)
{
	int fd = DH_REAL(timerfd_create)(clock, flags);
	dh_fd_made(fd);
	return fd;
}

DH_REAL_WANT(signalfd);
DH_EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
	uint64_t signals;
	_Static_assert(sizeof signals <= sizeof *set, "the kernel's set is a part of it");
	int r = DH_REAL(signalfd)(fd, set, flags);
	if (r < 0)
		return r;
	if (fd < 0)
		dh_fd_made(r);
	dh_copy(&signals, set, sizeof signals);
	dh_fd_made_signals(r, signals);
	return r;
}

DH_REAL_WANT(eventfd_read);
DH_EXPORT int eventfd_read(int fd, eventfd_t *value)
{
	uint64_t pc = DH_CALLER();
	int r = DH_REAL(eventfd_read)(fd, value);
	dh_fd_has_read(fd, r, pc);
	if (r == 0)
		DH_WRITES_OBJECT(value, pc);
	return r;
}

DH_REAL_WANT(eventfd_write);
DH_EXPORT int eventfd_write(int fd, eventfd_t value)
{
	uint64_t pc = DH_CALLER();
	dh_fd_writes(fd, pc);
	int r = DH_REAL(eventfd_write)(fd, value);
	dh_fd_tried(fd, r, pc);
	return r;
}

/* Who sets a timer comes before who hears that it has run out. */
DH_REAL_WANT(timerfd_settime);
DH_EXPORT int timerfd_settime(int fd, int flags, const struct itimerspec *value,
			      struct itimerspec *old)
{
	uint64_t pc = DH_CALLER();
	DH_READS_OBJECT(value, pc);
	dh_fd_release(fd);
	int r = DH_REAL(timerfd_settime)(fd, flags, value, old);
	if (r == 0)
		DH_WRITES_OBJECT(old, pc);
	return r;
}

DH_REAL_WANT(timerfd_gettime);
DH_EXPORT int timerfd_gettime(int fd, struct itimerspec *to)
{
	int r = DH_REAL(timerfd_gettime)(fd, to);
	if (r == 0)
		DH_WRITES_OBJECT(to, DH_CALLER());
	return r;
}

/* ---- copying ----
 *
 * What is copied is used, and so is a number that the program has chosen for the copy: who
 * closes that one, unordered, closes the copy or what was there before. */

static bool copied(int fd, int copy, uint64_t pc)
{
	dh_fd_copied(fd, copy);
	if (copy < 0 || dh_in_borrowed_memory())
		return false;
	dh_fd_used(fd, pc);
	return true;
}

static void copied_as(int fd, int copy, uint64_t pc)
{
	if (copied(fd, copy, pc) && copy != fd)
		dh_fd_used(copy, pc);
}

DH_REAL_WANT(dup);
DH_EXPORT int dup(int fd)
{
	int copy = DH_REAL(dup)(fd);
	copied(fd, copy, DH_CALLER());
	return copy;
}

DH_REAL_WANT(dup2);
DH_EXPORT int dup2(int fd, int as)
{
	if (fd != as) {
		dh_report_give_way(as);
		dh_fd_closing(as);
	}
	int copy = DH_REAL(dup2)(fd, as);
	copied_as(fd, copy, DH_CALLER());
	return copy;
}

DH_REAL_WANT(dup3);
DH_EXPORT int dup3(int fd, int as, int flags)
{
	if (fd != as) {
		dh_report_give_way(as);
		dh_fd_closing(as);
	}
	int copy = DH_REAL(dup3)(fd, as, flags);
	copied_as(fd, copy, DH_CALLER());
	return copy;
}

/* Locks that belong to an open file; see filelock.c. */
static bool locks(int command)
{
	return command == F_OFD_SETLK || command == F_OFD_SETLKW;
}

static enum dh_file_held how_held(const struct flock *lock)
{
	return lock->l_type == F_UNLCK	 ? DH_HELD_NOT
	       : lock->l_type == F_RDLCK ? DH_HELD_FOR_READING
					 : DH_HELD_FOR_WRITING;
}

/* What the third argument is depends on the command; a pointer has room for each. */
#define CONTROL(name)                                                                    \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(int fd, int command, ...)                                     \
	{                                                                                \
		va_list ap;                                                              \
		va_start(ap, command);                                                   \
		void *arg = va_arg(ap, void *);                                          \
		va_end(ap);                                                              \
		if (locks(command))                                                      \
			dh_file_locking(fd, DH_LOCK_OPEN_FILE, how_held(arg));           \
		int r = DH_REAL(name)(fd, command, arg);                                 \
		if (locks(command) && r == 0)                                            \
			dh_file_locked(fd, DH_LOCK_OPEN_FILE, how_held(arg));            \
		if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)                    \
			copied(fd, r, DH_CALLER());                                      \
		return r;                                                                \
	}
CONTROL(fcntl)
CONTROL(fcntl64)

/* ---- closing ----
 *
 * To a program that closes whatever is open the line to the helper is not open. */

DH_REAL_WANT(close);
DH_EXPORT int close(int fd)
{
	if (DH_UNLIKELY(dh_report_keeps(fd))) {
		errno = EBADF;
		return -1;
	}
	dh_report_closing(fd);
	dh_fd_ends(fd, DH_CALLER());
	dh_fd_closing(fd);
	return DH_REAL(close)(fd);
}

DH_REAL_WANT(close_range);
DH_EXPORT int close_range(unsigned first, unsigned last, int flags)
{
	if (flags & CLOSE_RANGE_CLOEXEC)
		return DH_REAL(close_range)(first, last, flags);
	if (first <= STDERR_FILENO && last >= STDERR_FILENO)
		dh_report_closing(STDERR_FILENO);
	dh_fd_closing_range(first, last);
	unsigned line = (unsigned)dh_channel_number();
	if (DH_LIKELY(line < first || line > last) || !dh_report_keeps((int)line))
		return DH_REAL(close_range)(first, last, flags);
	int r = line > first ? DH_REAL(close_range)(first, line - 1, flags) : 0;
	return r == 0 && line < last ? DH_REAL(close_range)(line + 1, last, flags) : r;
}

DH_REAL_WANT(closefrom);
DH_EXPORT void closefrom(int first)
{
	first = DH_MAX(first, 0);
	if (first <= STDERR_FILENO)
		dh_report_closing(STDERR_FILENO);
	dh_fd_closing_range((unsigned)first, UINT32_MAX);
	int line = dh_channel_number();
	if (DH_UNLIKELY(line >= first) && dh_report_keeps(line))
		while (first <= line)
			close(first++);
	DH_REAL(closefrom)(first);
}
