/* SPDX-License-Identifier: MIT */
/* The window of input.h over read(2), or over memory as it is. */
#define _GNU_SOURCE /* mkostemp */
#include "trace/input.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WINDOW = 256 << 10 };

void dh_input_open_fd(struct dh_input *in, int fd)
{
	struct stat st;
	*in = (struct dh_input){.fd = fd, .kept = -1, .buffer_size = WINDOW};
	in->buffer = dh_mem_alloc(WINDOW);
	in->at = in->end = in->buffer;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		in->total = (uint64_t)st.st_size;
}

void dh_input_open_memory(struct dh_input *in, const void *data, size_t len)
{
	*in = (struct dh_input){.fd = -1, .kept = -1, .eof = true, .total = len};
	in->at = data;
	in->end = in->at + len;
}

void dh_input_close(struct dh_input *in)
{
	dh_mem_free(in->buffer, in->buffer_size);
	if (in->buffer && in->kept >= 0)
		close(in->kept);
	in->buffer = NULL;
}

/* Moves what is left to the front of a buffer that has room for n bytes. */
static void make_room(struct dh_input *in, size_t n)
{
	size_t have = dh_input_have(in);
	if (n > in->buffer_size) {
		size_t size = dh_pow2(n);
		char *buffer = dh_mem_alloc(size);
		memcpy(buffer, in->at, have);
		dh_mem_free(in->buffer, in->buffer_size);
		in->buffer = buffer;
		in->buffer_size = size;
	} else if (have > 0 && in->at + n <= in->buffer + in->buffer_size) {
		return;
	} else {
		memmove(in->buffer, in->at, have);
	}
	in->at = in->buffer;
	in->end = in->at + have;
}

size_t dh_input_want(struct dh_input *in, size_t n)
{
	if (dh_input_have(in) >= n || in->eof)
		return dh_input_have(in);
	make_room(in, n);
	while (dh_input_have(in) < n) {
		char *to = in->buffer + (in->end - in->buffer);
		ssize_t got =
		    read(in->fd, to, (size_t)(in->buffer + in->buffer_size - to));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			in->error = got < 0 ? errno : 0;
			in->eof = true;
			break;
		}
		in->end += got;
	}
	return dh_input_have(in);
}

/* --- reading it again --- */

static bool failed(struct dh_input *in, int error)
{
	in->error = error;
	return false;
}

/* A file that has no name any more, or a negative errno value. */
static int unnamed_file(void)
{
	const char *folder = getenv("TMPDIR");
	char name[4096];
	int len = snprintf(name, sizeof name, "%s/deadheat-XXXXXX",
			   folder && *folder ? folder : "/tmp");
	if (len >= (int)sizeof name)
		return -ENAMETOOLONG;
	int fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(name);
	return fd;
}

static bool write_all(int fd, const char *at, size_t n)
{
	while (n > 0) {
		ssize_t done = write(fd, at, n);
		if (done < 0 && errno != EINTR)
			return false;
		if (done > 0) {
			at += done;
			n -= (size_t)done;
		}
	}
	return true;
}

/* All of a pipe into a file. What was taken, a header, is still in the window. */
static bool copy(struct dh_input *in)
{
	uint64_t taken = in->passed;
	in->kept = unnamed_file();
	if (in->kept < 0)
		return failed(in, -in->kept);
	DH_CHECK((uint64_t)(in->at - in->buffer) >= taken);
	in->at -= taken;
	in->passed = 0;
	while (dh_input_want(in, 1) > 0) {
		size_t n = dh_input_have(in);
		if (!write_all(in->kept, in->at, n))
			return failed(in, errno);
		dh_input_take(in, n);
	}
	if (in->error)
		return false;
	in->total = in->passed;
	in->fd = in->kept;
	if (!dh_input_rewind(in) || dh_input_want(in, taken) < taken)
		return false;
	dh_input_take(in, taken);
	return true;
}

bool dh_input_keep(struct dh_input *in)
{
	if (in->fd < 0)
		return true;
	off_t at = lseek(in->fd, 0, SEEK_CUR);
	if (at < 0)
		return errno == ESPIPE ? copy(in) : failed(in, errno);
	in->start = at - (off_t)dh_input_have(in) - (off_t)in->passed;
	return true;
}

bool dh_input_rewind(struct dh_input *in)
{
	if (in->fd < 0) {
		in->at -= in->passed;
	} else {
		if (lseek(in->fd, (off_t)in->start, SEEK_SET) < 0)
			return failed(in, errno);
		in->at = in->end = in->buffer;
		in->eof = false;
	}
	in->passed = 0;
	return true;
}
