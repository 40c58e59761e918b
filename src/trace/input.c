/* SPDX-License-Identifier: MIT */
/* The window of input.h over read(2), or over memory as it is. */
#include "trace/input.h"

#include "base/mem.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WINDOW = 256 << 10 };

void dh_input_open_fd(struct dh_input *in, int fd)
{
	struct stat st;
	*in = (struct dh_input){.fd = fd, .buffer_size = WINDOW};
	in->buffer = dh_mem_alloc(WINDOW);
	in->at = in->end = in->buffer;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		in->total = (uint64_t)st.st_size;
}

void dh_input_open_memory(struct dh_input *in, const void *data, size_t len)
{
	*in = (struct dh_input){.fd = -1, .eof = true, .total = len};
	in->at = data;
	in->end = in->at + len;
}

void dh_input_close(struct dh_input *in)
{
	dh_mem_free(in->buffer, in->buffer_size);
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
