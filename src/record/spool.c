/* SPDX-License-Identifier: MIT */
/* See spool.h. */
#define _GNU_SOURCE
#include "record/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	FULL = 64 << 10, /* records collected before a write, and read at once */
	LONGEST = DH_RING_PAYLOAD_MAX + 2,
	IN = FULL + LONGEST,
};

static int open_file(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name;
	if (asprintf(&name, "%.*s.deadheat-record-XXXXXX",
		     slash ? (int)(slash + 1 - path) : 0, path) < 0)
		return -ENOMEM;
	int fd = mkostemp(name, O_CLOEXEC), error = errno;
	if (fd >= 0)
		unlink(name);
	free(name);
	return fd >= 0 ? fd : -error;
}

int dh_spool_open(struct dh_spool *s, const char *path)
{
	*s = (struct dh_spool){.thread = DH_RING_NOBODY - 1};
	s->fd = open_file(path);
	s->status = DH_MIN(s->fd, 0);
	if (!s->status)
		s->in = dh_mem_alloc(IN * sizeof *s->in);
	return s->status;
}

void dh_spool_close(struct dh_spool *s)
{
	if (s->fd >= 0)
		close(s->fd);
	if (s->in)
		dh_mem_free(s->in, IN * sizeof *s->in);
	dh_vec_free(&s->out);
}

/* ---- writing ---- */

static void flush(struct dh_spool *s)
{
	const char *at = (const char *)s->out.at;
	size_t n = s->out.len * sizeof *s->out.at;
	uint64_t to = (s->written - s->out.len) * sizeof *s->out.at;
	while (n && !s->status) {
		ssize_t done = pwrite(s->fd, at, n, (off_t)to);
		if (done < 0 && errno != EINTR)
			s->status = -errno;
		if (done > 0) {
			at += done;
			to += (uint64_t)done;
			n -= (size_t)done;
		}
	}
	s->out.len = 0;
}

static void put(struct dh_spool *s, const struct dh_raw *at, size_t n)
{
	dh_vec_reserve(&s->out, s->out.len + n);
	memcpy(s->out.at + s->out.len, at, n * sizeof *at);
	s->out.len += n;
	s->written += n;
	if (s->out.len >= FULL)
		flush(s);
}

void dh_spool_put(struct dh_spool *s, uint32_t thread, const struct dh_raw *at, size_t n)
{
	if (s->status)
		return;
	if (thread != s->thread) {
		struct dh_raw turn = {dh_raw_head(DH_RAW_THREAD, 0, 0), thread};
		put(s, &turn, 1);
		s->thread = thread;
	}
	put(s, at, n);
}

/* ---- reading ---- */

/* Moves what is left to the front and reads on behind it. */
static void fill(struct dh_spool *s)
{
	size_t left = s->in_len - s->in_at;
	memmove(s->in, s->in + s->in_at, left * sizeof *s->in);
	s->in_at = 0;
	s->in_len = left;
	flush(s);
	while (s->in_len < IN && !s->status) {
		uint64_t from = (s->read + s->in_len) * sizeof *s->in;
		ssize_t got = pread(s->fd, s->in + s->in_len,
				    (IN - s->in_len) * sizeof *s->in, (off_t)from);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			s->status = -errno;
		if (got < (ssize_t)sizeof *s->in)
			break;
		s->in_len += (size_t)got / sizeof *s->in;
	}
}

const struct dh_raw *dh_spool_next(struct dh_spool *s)
{
	if (s->in_len - s->in_at < LONGEST && s->read + s->in_len - s->in_at < s->written)
		fill(s);
	const struct dh_raw *r = s->in + s->in_at;
	size_t left = s->in_len - s->in_at;
	if (!left || (left < 2 && dh_raw_has_payload(dh_raw_kind(r))) ||
	    dh_raw_length(r) > left)
		return NULL;
	s->in_at += dh_raw_length(r);
	s->read += dh_raw_length(r);
	return r;
}

void dh_spool_forget(struct dh_spool *s)
{
	enum { WORTH = 1 << 20 };
	uint64_t upto = s->read * sizeof *s->in & ~(uint64_t)4095;
	if (upto < s->dropped + WORTH)
		return;
	/* Where the file system cannot, the file is larger than need be. */
	(void)!fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			 (off_t)s->dropped, (off_t)(upto - s->dropped));
	s->dropped = upto;
}
