/* SPDX-License-Identifier: MIT */
/* Calls on files by name or descriptor: the names that they read, the facts and names
 * that they write. */
#define _GNU_SOURCE
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <termios.h>
#include <unistd.h>
#include "runtime/fds.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"

/* ---- facts ---- */

#define FACTS_BY_NAME(name, type)                                                        \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(const char *path, struct type *to)                            \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		dh_reads_text(path, pc);                                                 \
		int r = DH_REAL(name)(path, to);                                         \
		if (r == 0)                                                              \
			DH_WRITES_OBJECT(to, pc);                                        \
		return r;                                                                \
	}
#define FACTS_BY_FD(name, type)                                                          \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(int fd, struct type *to)                                      \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		int r = DH_REAL(name)(fd, to);                                           \
		if (r == 0)                                                              \
			DH_WRITES_OBJECT(to, pc);                                        \
		return r;                                                                \
	}
#define FACTS_AT(name, type)                                                             \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(int dir, const char *path, struct type *to, int flags)        \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		dh_reads_text(path, pc);                                                 \
		int r = DH_REAL(name)(dir, path, to, flags);                             \
		if (r == 0)                                                              \
			DH_WRITES_OBJECT(to, pc);                                        \
		return r;                                                                \
	}
FACTS_BY_NAME(stat, stat)
FACTS_BY_NAME(stat64, stat64)
FACTS_BY_NAME(lstat, stat)
FACTS_BY_NAME(lstat64, stat64)
FACTS_BY_NAME(statfs, statfs)
FACTS_BY_NAME(statfs64, statfs64)
FACTS_BY_NAME(statvfs, statvfs)
FACTS_BY_NAME(statvfs64, statvfs64)
FACTS_BY_FD(tcgetattr, termios)
FACTS_BY_FD(fstat, stat)
FACTS_BY_FD(fstat64, stat64)
FACTS_BY_FD(fstatfs, statfs)
FACTS_BY_FD(fstatfs64, statfs64)
FACTS_BY_FD(fstatvfs, statvfs)
FACTS_BY_FD(fstatvfs64, statvfs64)
FACTS_AT(fstatat, stat)
FACTS_AT(fstatat64, stat64)

DH_REAL_WANT(statx);
DH_EXPORT int statx(int dir, const char *path, int flags, unsigned mask, struct statx *to)
{
	uint64_t pc = DH_CALLER();
	dh_reads_text(path, pc);
	int r = DH_REAL(statx)(dir, path, flags, mask, to);
	if (r == 0)
		DH_WRITES_OBJECT(to, pc);
	return r;
}

/* ---- names in ---- */

#define BY_NAME(name, type)                                                              \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(const char *path, type arg)                                   \
	{                                                                                \
		dh_reads_text(path, DH_CALLER());                                        \
		return DH_REAL(name)(path, arg);                                         \
	}
#define BY_NAME_ALONE(name)                                                              \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(const char *path)                                             \
	{                                                                                \
		dh_reads_text(path, DH_CALLER());                                        \
		return DH_REAL(name)(path);                                              \
	}
#define BY_NAMES(name)                                                                   \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(const char *from, const char *to)                             \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		dh_reads_text(from, pc);                                                 \
		dh_reads_text(to, pc);                                                   \
		return DH_REAL(name)(from, to);                                          \
	}
BY_NAME(access, int)
BY_NAME(chmod, mode_t)
BY_NAME(mkdir, mode_t)
BY_NAME(mkfifo, mode_t)
BY_NAME(truncate, off_t)
BY_NAME_ALONE(chdir)
BY_NAME_ALONE(remove)
BY_NAME_ALONE(rmdir)
BY_NAME_ALONE(unlink)
BY_NAMES(link)
BY_NAMES(rename)
BY_NAMES(symlink)

/* ---- names out ---- */

DH_REAL_WANT(getcwd);
DH_EXPORT char *getcwd(char *to, size_t room)
{
	uint64_t pc = DH_CALLER();
	dh_call_begin(pc);
	char *got = DH_REAL(getcwd)(to, room);
	dh_call_end();
	dh_writes_text(got, pc);
	return got;
}

DH_REAL_WANT(realpath);
DH_EXPORT char *realpath(const char *path, char *to)
{
	uint64_t pc = DH_CALLER();
	dh_reads_text(path, pc);
	dh_call_begin(pc);
	char *got = DH_REAL(realpath)(path, to);
	dh_call_end();
	dh_writes_text(got, pc);
	return got;
}

DH_EXPORT char *__realpath_chk(const char *path, char *to, size_t room);
DH_REAL_WANT(__realpath_chk);
char *__realpath_chk(const char *path, char *to, size_t room)
{
	uint64_t pc = DH_CALLER();
	dh_reads_text(path, pc);
	char *got = DH_REAL(__realpath_chk)(path, to, room);
	dh_writes_text(got, pc);
	return got;
}

DH_REAL_WANT(getdents64);
DH_EXPORT ssize_t getdents64(int fd, void *to, size_t room)
{
	ssize_t n = DH_REAL(getdents64)(fd, to, room);
	if (n > 0)
		dh_writes(to, (size_t)n, DH_CALLER());
	return n;
}

DH_REAL_WANT(readlink);
DH_EXPORT ssize_t readlink(const char *path, char *to, size_t room)
{
	uint64_t pc = DH_CALLER();
	dh_reads_text(path, pc);
	ssize_t n = DH_REAL(readlink)(path, to, room);
	if (n > 0)
		dh_writes(to, (size_t)n, pc);
	return n;
}

DH_REAL_WANT(readlinkat);
DH_EXPORT ssize_t readlinkat(int dir, const char *path, char *to, size_t room)
{
	uint64_t pc = DH_CALLER();
	dh_reads_text(path, pc);
	ssize_t n = DH_REAL(readlinkat)(dir, path, to, room);
	if (n > 0)
		dh_writes(to, (size_t)n, pc);
	return n;
}

/* The six X at the end of the template are overwritten. */
#define FROM_TEMPLATE(name, parameters, arguments)                                       \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name parameters                                                    \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		int fd = DH_REAL(name) arguments;                                        \
		dh_fd_made(fd);                                                          \
		dh_writes_text(template, pc);                                            \
		return fd;                                                               \
	}
FROM_TEMPLATE(mkstemp, (char *template), (template))
FROM_TEMPLATE(mkstemp64, (char *template), (template))
FROM_TEMPLATE(mkostemp, (char *template, int flags), (template, flags))
FROM_TEMPLATE(mkostemp64, (char *template, int flags), (template, flags))
FROM_TEMPLATE(mkstemps, (char *template, int behind), (template, behind))
FROM_TEMPLATE(mkstemps64, (char *template, int behind), (template, behind))

DH_REAL_WANT(mkdtemp);
DH_EXPORT char *mkdtemp(char *template)
{
	uint64_t pc = DH_CALLER();
	char *made = DH_REAL(mkdtemp)(template);
	dh_writes_text(template, pc);
	return made;
}

/* ---- directories ---- */

DH_REAL_WANT(opendir);
DH_EXPORT DIR *opendir(const char *path)
{
	uint64_t pc = DH_CALLER();
	dh_reads_text(path, pc);
	dh_call_begin(pc);
	DIR *d = DH_REAL(opendir)(path);
	dh_call_end();
	return d;
}

/* The entry is in the stream's own buffer, which a later call overwrites: two calls on
 * one stream are writes of that. */
#define NEXT_ENTRY(name, type)                                                           \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT struct type *name(DIR *d)                                              \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		dh_writes(d, sizeof(int), pc);                                           \
		struct type *got = DH_REAL(name)(d);                                     \
		if (got)                                                                 \
			dh_writes(got, got->d_reclen, pc);                               \
		return got;                                                              \
	}
NEXT_ENTRY(readdir, dirent)
NEXT_ENTRY(readdir64, dirent64)

/* Obsolete, and in use. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#define NEXT_ENTRY_INTO(name, type)                                                      \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(DIR *in, struct type *to, struct type **told)                 \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		int r = DH_REAL(name)(in, to, told);                                     \
		if (r == 0 && *told)                                                     \
			dh_writes(to, to->d_reclen, pc);                                 \
		DH_WRITES_OBJECT(told, pc);                                              \
		return r;                                                                \
	}
NEXT_ENTRY_INTO(readdir_r, dirent)
NEXT_ENTRY_INTO(readdir64_r, dirent64)

/* All of them, as memory of the calling thread. */
#define ALL_ENTRIES(name, type)                                                          \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(const char *path, struct type ***to,                          \
			   int (*wanted)(const struct type *),                           \
			   int (*order)(const struct type **, const struct type **))     \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		dh_reads_text(path, pc);                                                 \
		dh_call_begin(pc);                                                       \
		int n = DH_REAL(name)(path, to, wanted, order);                          \
		dh_call_end();                                                           \
		if (n >= 0)                                                              \
			DH_WRITES_OBJECT(to, pc);                                        \
		for (int i = 0; i < n; i++) {                                            \
			DH_WRITES_OBJECT(*to + i, pc);                                   \
			dh_writes((*to)[i], (*to)[i]->d_reclen, pc);                     \
		}                                                                        \
		return n;                                                                \
	}
ALL_ENTRIES(scandir, dirent)
ALL_ENTRIES(scandir64, dirent64)

/* ---- terminals ---- */

DH_REAL_WANT(tcsetattr);
DH_EXPORT int tcsetattr(int fd, int when, const struct termios *from)
{
	DH_READS_OBJECT(from, DH_CALLER());
	return DH_REAL(tcsetattr)(fd, when, from);
}

/* ---- by number ---- */

/* What a request of the common ones writes: as many bytes. Those of devices are theirs.
 */
static size_t written_by(unsigned long request)
{
	switch (request) {
	case FIONREAD:
	case TIOCOUTQ:
		return sizeof(int);
	case TIOCGPGRP:
	case TIOCGSID:
		return sizeof(pid_t);
	case TIOCGWINSZ:
		return sizeof(struct winsize);
	default:
		return 0;
	}
}

static size_t read_by(unsigned long request)
{
	return request == FIONBIO || request == FIOASYNC ? sizeof(int)
	       : request == TIOCSPGRP			 ? sizeof(pid_t)
	       : request == TIOCSWINSZ			 ? sizeof(struct winsize)
							 : 0;
}

DH_REAL_WANT(ioctl);
DH_EXPORT int ioctl(int fd, unsigned long request, ...)
{
	uint64_t pc = DH_CALLER();
	va_list ap;
	va_start(ap, request);
	void *arg = va_arg(ap, void *); /* or a number, for which there is room too */
	va_end(ap);
	size_t reads = read_by(request);
	if (reads)
		dh_reads(arg, reads, pc);
	int r = DH_REAL(ioctl)(fd, request, arg);
	size_t writes = r >= 0 ? written_by(request) : 0;
	if (writes)
		dh_writes(arg, writes, pc);
	return r;
}
