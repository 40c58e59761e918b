/* SPDX-License-Identifier: MIT */
/*
 * Functions that read a text or two of the caller, names of files most of them, and what
 * else is small; those with a result in the caller's memory are with their families.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <iconv.h>
#include <libintl.h>
#include <locale.h>
#include <mqueue.h>
#include <nl_types.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>
#include "runtime/fds.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"

#undef gettext /* the header makes one of the other */
#undef dgettext
#undef ngettext
#undef dngettext

/* What they read comes last. */
#define READING(type, name, parameters, arguments, reads)                                \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT type name parameters                                                   \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		reads;                                                                   \
		return DH_REAL(name) arguments;                                          \
	}
#define TEXT(s)	     dh_reads_text(s, pc)
#define TEXTS(a, b)  TEXT(a), TEXT(b)
#define OBJECT(p)    DH_READS_OBJECT(p, pc)
#define TIMES(times) dh_touches_object((uintptr_t)(times), 2 * sizeof *(times), 0, pc)

/* ---- files ---- */

READING(int, chown, (const char *path, uid_t user, gid_t group), (path, user, group),
	TEXT(path))
READING(int, lchown, (const char *path, uid_t user, gid_t group), (path, user, group),
	TEXT(path))
READING(int, fchownat, (int dir, const char *path, uid_t user, gid_t group, int flags),
	(dir, path, user, group, flags), TEXT(path))
READING(int, fchmodat, (int dir, const char *path, mode_t mode, int flags),
	(dir, path, mode, flags), TEXT(path))
READING(int, faccessat, (int dir, const char *path, int mode, int flags),
	(dir, path, mode, flags), TEXT(path))
READING(int, mkdirat, (int dir, const char *path, mode_t mode), (dir, path, mode),
	TEXT(path))
READING(int, mkfifoat, (int dir, const char *path, mode_t mode), (dir, path, mode),
	TEXT(path))
READING(int, unlinkat, (int dir, const char *path, int flags), (dir, path, flags),
	TEXT(path))
READING(int, truncate64, (const char *path, off64_t size), (path, size), TEXT(path))
READING(long, pathconf, (const char *path, int what), (path, what), TEXT(path))

READING(int, linkat, (int from, const char *path, int to, const char *name, int flags),
	(from, path, to, name, flags), TEXTS(path, name))
READING(int, renameat, (int from, const char *path, int to, const char *name),
	(from, path, to, name), TEXTS(path, name))
READING(int, renameat2,
	(int from, const char *path, int to, const char *name, unsigned flags),
	(from, path, to, name, flags), TEXTS(path, name))
READING(int, symlinkat, (const char *path, int to, const char *name), (path, to, name),
	TEXTS(path, name))

READING(int, utime, (const char *path, const struct utimbuf *times), (path, times),
	(TEXT(path), OBJECT(times)))
READING(int, utimes, (const char *path, const struct timeval times[2]), (path, times),
	(TEXT(path), TIMES(times)))
READING(int, lutimes, (const char *path, const struct timeval times[2]), (path, times),
	(TEXT(path), TIMES(times)))
READING(int, futimes, (int fd, const struct timeval times[2]), (fd, times), TIMES(times))
READING(int, utimensat,
	(int dir, const char *path, const struct timespec times[2], int flags),
	(dir, path, times, flags), (TEXT(path), TIMES(times)))
READING(int, futimens, (int fd, const struct timespec times[2]), (fd, times),
	TIMES(times))

READING(int, inotify_add_watch, (int fd, const char *path, uint32_t what),
	(fd, path, what), TEXT(path))

/* ---- memory, semaphores and queues with names ---- */

READING(int, shm_unlink, (const char *name), (name), TEXT(name))
READING(int, sem_unlink, (const char *name), (name), TEXT(name))
READING(int, mq_unlink, (const char *name), (name), TEXT(name))

#define MAKING(name, parameters, arguments)                                              \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name parameters                                                    \
	{                                                                                \
		dh_reads_text(path, DH_CALLER());                                        \
		int fd = DH_REAL(name) arguments;                                        \
		dh_fd_made(fd);                                                          \
		return fd;                                                               \
	}
MAKING(shm_open, (const char *path, int flags, mode_t mode), (path, flags, mode))
MAKING(memfd_create, (const char *path, unsigned flags), (path, flags))

int __mq_open_2(const char *path, int flags);
MAKING(__mq_open_2, (const char *path, int flags), (path, flags))

/* The further arguments are there where it may make one. */
DH_REAL_WANT(mq_open);
DH_EXPORT mqd_t mq_open(const char *path, int flags, ...)
{
	uint64_t pc = DH_CALLER();
	mode_t mode = 0;
	struct mq_attr *facts = NULL;
	if (flags & O_CREAT) {
		va_list ap;
		va_start(ap, flags);
		mode = va_arg(ap, mode_t);
		facts = va_arg(ap, struct mq_attr *);
		va_end(ap);
		OBJECT(facts);
	}
	TEXT(path);
	mqd_t queue = DH_REAL(mq_open)(path, flags, mode, facts);
	dh_fd_made(queue);
	return queue;
}

DH_REAL_WANT(sem_open);
DH_EXPORT sem_t *sem_open(const char *path, int flags, ...)
{
	uint64_t pc = DH_CALLER();
	mode_t mode = 0;
	unsigned value = 0;
	if (flags & O_CREAT) {
		va_list ap;
		va_start(ap, flags);
		mode = va_arg(ap, mode_t);
		value = va_arg(ap, unsigned);
		va_end(ap);
	}
	TEXT(path);
	dh_call_begin(pc);
	sem_t *made = DH_REAL(sem_open)(path, flags, mode, value);
	dh_call_end();
	return made;
}

/* ---- the shell ---- */

READING(int, system, (const char *command), (command), TEXT(command))

/* ---- languages and encodings ---- */

READING(char *, setlocale, (int what, const char *name), (what, name), TEXT(name))
READING(locale_t, newlocale, (int what, const char *name, locale_t base),
	(what, name, base), TEXT(name))
READING(iconv_t, iconv_open, (const char *to, const char *from), (to, from),
	TEXTS(to, from))
READING(nl_catd, catopen, (const char *name, int flag), (name, flag), TEXT(name))

READING(char *, gettext, (const char *text), (text), TEXT(text))
READING(char *, dgettext, (const char *domain, const char *text), (domain, text),
	TEXTS(domain, text))
READING(char *, dcgettext, (const char *domain, const char *text, int what),
	(domain, text, what), TEXTS(domain, text))
READING(char *, ngettext, (const char *one, const char *many, unsigned long n),
	(one, many, n), TEXTS(one, many))
READING(char *, dngettext,
	(const char *domain, const char *one, const char *many, unsigned long n),
	(domain, one, many, n), (TEXT(domain), TEXTS(one, many)))
READING(char *, dcngettext,
	(const char *domain, const char *one, const char *many, unsigned long n,
	 int what),
	(domain, one, many, n, what), (TEXT(domain), TEXTS(one, many)))

/* ---- addresses ---- */

READING(in_addr_t, inet_network, (const char *address), (address), TEXT(address))
