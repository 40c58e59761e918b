/* SPDX-License-Identifier: MIT */
/* The descriptor under a stream, for order through pipes and sockets (fds.h). A stream
 * that has none (-1: in memory) has no order either. Any thread. */
#ifndef DH_RUNTIME_INTERCEPT_STREAM_H
#define DH_RUNTIME_INTERCEPT_STREAM_H

#include <stdio.h>
#include "runtime/fds.h"
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

DH_INLINE void dh_stream_acquire(const FILE *f)
{
	dh_fd_acquire(dh_stream_fd(f));
}

#endif
