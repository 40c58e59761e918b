/* SPDX-License-Identifier: MIT */
/*
 * Streams: the buffers and texts that the caller gives. A stream itself is guarded by
 * its own lock inside the C library, and its buffer is nobody else's business. Streams
 * on pipes and sockets order as their descriptors do (fds.h).
 */
#define _GNU_SOURCE
#ifndef __NO_INLINE__
#define __NO_INLINE__ /* the headers shall define none of the functions */
#endif
#include <stdio.h>
#include "runtime/intercept/memstream.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/stream.h"
#include "runtime/report.h"

/* ---- opening and closing ---- */

#define OPEN(name)                                                                       \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT FILE *name(const char *path, const char *mode)                         \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		dh_reads_text(path, pc);                                                 \
		dh_reads_text(mode, pc);                                                 \
		dh_call_begin(pc);                                                       \
		FILE *f = DH_REAL(name)(path, mode);                                     \
		dh_call_end();                                                           \
		if (f)                                                                   \
			dh_fd_made(dh_stream_fd(f));                                     \
		return f;                                                                \
	}
OPEN(fopen)
OPEN(fopen64)
OPEN(popen)

#define REOPEN(name)                                                                     \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT FILE *name(const char *path, const char *mode, FILE *f)                \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		dh_reads_text(path, pc);                                                 \
		dh_reads_text(mode, pc);                                                 \
		struct dh_memstream memory;                                              \
		dh_memstream_find(f, true, &memory);                                     \
		dh_report_closing(dh_stream_fd(f));                                      \
		dh_fd_closing(dh_stream_fd(f));                                          \
		FILE *again = DH_REAL(name)(path, mode, f);                              \
		if (again)                                                               \
			dh_fd_made(dh_stream_fd(again));                                 \
		return again;                                                            \
	}
REOPEN(freopen)
REOPEN(freopen64)

DH_REAL_WANT(fdopen);
DH_EXPORT FILE *fdopen(int fd, const char *mode)
{
	uint64_t pc = DH_CALLER();
	dh_reads_text(mode, pc);
	dh_call_begin(pc);
	FILE *f = DH_REAL(fdopen)(fd, mode);
	dh_call_end();
	return f;
}

#define CLOSE(name)                                                                      \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(FILE *f)                                                      \
	{                                                                                \
		struct dh_memstream memory;                                              \
		bool in_memory = dh_memstream_find(f, true, &memory);                    \
		dh_report_closing(dh_stream_fd(f));                                      \
		dh_fd_closing(dh_stream_fd(f));                                          \
		int r = DH_REAL(name)(f);                                                \
		if (in_memory)                                                           \
			dh_memstream_told(&memory, DH_CALLER());                         \
		return r;                                                                \
	}
CLOSE(fclose)
CLOSE(pclose)

DH_REAL_WANT(fflush);
DH_EXPORT int fflush(FILE *f)
{
	struct dh_memstream memory;
	bool in_memory = f && dh_memstream_find(f, false, &memory);
	if (f)
		dh_stream_release(f);
	int r = DH_REAL(fflush)(f);
	if (in_memory)
		dh_memstream_told(&memory, DH_CALLER());
	return r;
}

/* ---- blocks ---- */

#define READ_BLOCK(name)                                                                 \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT size_t name(void *to, size_t size, size_t count, FILE *f)              \
	{                                                                                \
		size_t got = DH_REAL(name)(to, size, count, f);                          \
		dh_stream_acquire(f, DH_CALLER());                                       \
		dh_writes(to, got *size, DH_CALLER());                                   \
		return got;                                                              \
	}
READ_BLOCK(fread)
READ_BLOCK(fread_unlocked)

#define WRITE_BLOCK(name)                                                                \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT size_t name(const void *from, size_t size, size_t count, FILE *f)      \
	{                                                                                \
		dh_reads(from, size *count, DH_CALLER());                                \
		dh_stream_release(f);                                                    \
		return DH_REAL(name)(from, size, count, f);                              \
	}
WRITE_BLOCK(fwrite)
WRITE_BLOCK(fwrite_unlocked)

/* ---- lines and texts ---- */

#define READ_LINE(name)                                                                  \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT char *name(char *to, int n, FILE *f)                                   \
	{                                                                                \
		char *got = DH_REAL(name)(to, n, f);                                     \
		dh_stream_acquire(f, DH_CALLER());                                       \
		dh_writes_text(got, DH_CALLER());                                        \
		return got;                                                              \
	}
READ_LINE(fgets)
READ_LINE(fgets_unlocked)

DH_EXPORT char *__fgets_chk(char *to, size_t room, int n, FILE *f);
DH_REAL_WANT(__fgets_chk);
char *__fgets_chk(char *to, size_t room, int n, FILE *f)
{
	char *got = DH_REAL(__fgets_chk)(to, room, n, f);
	dh_stream_acquire(f, DH_CALLER());
	dh_writes_text(got, DH_CALLER());
	return got;
}

static ssize_t has_got_line(char **line, size_t *room, ssize_t n, FILE *f, uint64_t pc)
{
	dh_stream_acquire(f, pc);
	dh_writes(line, sizeof *line, pc);
	dh_writes(room, sizeof *room, pc);
	if (n >= 0)
		dh_writes(*line, (size_t)n + 1, pc);
	return n;
}

DH_REAL_WANT(getline);
DH_EXPORT ssize_t getline(char **line, size_t *room, FILE *f)
{
	uint64_t pc = DH_CALLER();
	dh_call_begin(pc);
	ssize_t n = DH_REAL(getline)(line, room, f);
	dh_call_end();
	return has_got_line(line, room, n, f, pc);
}

#define GET_UP_TO(name)                                                                  \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT ssize_t name(char **line, size_t *room, int end, FILE *f)              \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		dh_call_begin(pc);                                                       \
		ssize_t n = DH_REAL(name)(line, room, end, f);                           \
		dh_call_end();                                                           \
		return has_got_line(line, room, n, f, pc);                               \
	}
GET_UP_TO(getdelim)
GET_UP_TO(__getdelim)

#define WRITE_TEXT(name)                                                                 \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(const char *s, FILE *f)                                       \
	{                                                                                \
		dh_reads_text(s, DH_CALLER());                                           \
		dh_stream_release(f);                                                    \
		return DH_REAL(name)(s, f);                                              \
	}
WRITE_TEXT(fputs)
WRITE_TEXT(fputs_unlocked)

DH_REAL_WANT(puts);
DH_EXPORT int puts(const char *s)
{
	dh_reads_text(s, DH_CALLER());
	dh_stream_release(stdout);
	return DH_REAL(puts)(s);
}

/* ---- single characters, and words ---- */

/* Old names of putc and getc. */
DH_EXPORT int _IO_putc(int c, FILE *f);
DH_EXPORT int _IO_getc(FILE *f);

#define PUT(name)                                                                        \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(int c, FILE *f)                                               \
	{                                                                                \
		dh_stream_release(f);                                                    \
		return DH_REAL(name)(c, f);                                              \
	}
PUT(fputc)
PUT(fputc_unlocked)
PUT(putc)
PUT(putc_unlocked)
PUT(_IO_putc)
PUT(putw)

/* printf() of a character, too, as compilers have it. */
#define PUT_OUT(name)                                                                    \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(int c)                                                        \
	{                                                                                \
		dh_stream_release(stdout);                                               \
		return DH_REAL(name)(c);                                                 \
	}
PUT_OUT(putchar)
PUT_OUT(putchar_unlocked)

/* What the header makes of putc_unlocked and getc_unlocked, where the buffer ends. */
DH_REAL_WANT(__overflow);
DH_EXPORT int __overflow(FILE *f, int c)
{
	dh_stream_release(f);
	return DH_REAL(__overflow)(f, c);
}

#define GET(name)                                                                        \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(FILE *f)                                                      \
	{                                                                                \
		int c = DH_REAL(name)(f);                                                \
		dh_stream_acquire(f, DH_CALLER());                                       \
		return c;                                                                \
	}
GET(fgetc)
GET(fgetc_unlocked)
GET(getc)
GET(getc_unlocked)
GET(_IO_getc)
GET(getw)
GET(__uflow)

#define GET_IN(name)                                                                     \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(void)                                                         \
	{                                                                                \
		int c = DH_REAL(name)();                                                 \
		dh_stream_acquire(stdin, DH_CALLER());                                   \
		return c;                                                                \
	}
GET_IN(getchar)
GET_IN(getchar_unlocked)

/* ---- positions ---- */

DH_REAL_WANT(fgetpos);
DH_EXPORT int fgetpos(FILE *f, fpos_t *at)
{
	uint64_t pc = DH_CALLER();
	int r = DH_REAL(fgetpos)(f, at);
	if (r == 0)
		DH_WRITES_OBJECT(at, pc);
	return r;
}

DH_REAL_WANT(fsetpos);
DH_EXPORT int fsetpos(FILE *f, const fpos_t *at)
{
	DH_READS_OBJECT(at, DH_CALLER());
	int r = DH_REAL(fsetpos)(f, at);
	dh_memstream_moved(f);
	return r;
}

#define SEEK(name, offset)                                                               \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(FILE *f, offset to, int from)                                 \
	{                                                                                \
		int r = DH_REAL(name)(f, to, from);                                      \
		dh_memstream_moved(f);                                                   \
		return r;                                                                \
	}
SEEK(fseek, long)
SEEK(fseeko, off_t)
SEEK(fseeko64, off64_t)

DH_REAL_WANT(rewind);
DH_EXPORT void rewind(FILE *f)
{
	DH_REAL(rewind)(f);
	dh_memstream_moved(f);
}
