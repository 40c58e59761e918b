/* SPDX-License-Identifier: MIT */
/* The descriptor under a stream, for order through pipes and sockets (fds.h). A stream in
 * memory has none (below 0), and no order either: what has been read of it is told. Any
 * thread. */
#ifndef DH_RUNTIME_INTERCEPT_STREAM_H
#define DH_RUNTIME_INTERCEPT_STREAM_H

#include <stdio.h>
#include "runtime/fds.h"
#include "runtime/intercept/memstream.h"
#include "runtime/intercept/touch.h"

/* Without the stream's lock, which the caller may hold, and without errno. */
DH_INLINE int dh_stream_fd(const FILE *f)
{
	return f->_fileno;
}

DH_INLINE void dh_stream_release(const FILE *f)
{
	dh_fd_release(dh_stream_fd(f));
}

DH_INLINE void dh_stream_acquire(FILE *f, uint64_t pc)
{
	int fd = dh_stream_fd(f);
	if (DH_LIKELY(fd >= 0))
		dh_fd_acquire(fd);
	else
		dh_memstream_read(f, pc);
}

#endif
