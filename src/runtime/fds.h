/* SPDX-License-Identifier: MIT */
/*
 * File descriptors as ways of order: who writes into a pipe, a socket or an event
 * counter comes before who reads it out at the other end.
 *
 * Each descriptor leads to a conduit: both ends of a pipe to the same one, found by the
 * pipe's inode; copies of a descriptor to the same; the two ends of a connection inside
 * the process to the same, with a direction each (what thread A sends over a connection
 * to somebody else tells thread B nothing when it receives on it), and so do the two ends
 * of a pseudo-terminal. Regular files and other devices have none. What a descriptor is is
 * found out when it is first used, and forgotten when it is closed.
 *
 * The number itself is such a way too: the kernel gives it out again only after it was
 * given back, so who gets it comes after who closed the conduit that had it. Servers
 * keep what they know of a connection in a table by number, and rely on that.
 *
 * All datagram sockets share one conduit, and so do all connections to Unix sockets of one
 * name, in whatever folder: order may be seen where there is none, never the other way round.
 *
 * Concurrency: any thread. The functions do nothing on a thread that is not watched.
 * They raise `inside` themselves, leave errno alone, and call the kernel at most once
 * per descriptor and life of it.
 */
#ifndef DH_RUNTIME_FDS_H
#define DH_RUNTIME_FDS_H

#include <errno.h>
#include "base/base.h"

/* Before a write-like call, and after a read-like one that found something, the end of
 * the data included. */
void dh_fd_release(int fd);
void dh_fd_acquire(int fd);

/* What comes out of `in` is about to go into `out`, in the kernel: who reads it there
 * comes after who wrote it into `in`, then or before. */
void dh_fd_passes(int in, int out);

/* A read- or write-like call on it succeeded, or is about to be made, or it was copied; it is
 * about to be closed. The two race where nothing orders them: the call may come to a
 * descriptor that has been given out anew. That cannot happen where it becomes a copy of
 * another, which programs do for that very reason; to have made it one is a use. pc is the
 * program's call. */
void dh_fd_used(int fd, uint64_t pc);
void dh_fd_ends(int fd, uint64_t pc);

/* A read- or write-like call gave this result. Where it failed because there is no such
 * descriptor it races with who closed it, if nothing orders the two. Where the other end is
 * closed, it comes after who closed that. */
void dh_fd_missed(int fd, uint64_t pc);

DH_INLINE void dh_fd_tried(int fd, long result, uint64_t pc)
{
	if (DH_LIKELY(result >= 0))
		return;
	if (errno == EBADF)
		dh_fd_missed(fd, pc);
	else if (errno == EPIPE || errno == ECONNRESET)
		dh_fd_acquire(fd);
}

/* All of that, before a write-like call, which is then tried; and after a read-like one that gave
 * this result. */
DH_INLINE void dh_fd_writes(int fd, uint64_t pc)
{
	dh_fd_used(fd, pc);
	dh_fd_release(fd);
}

DH_INLINE void dh_fd_has_read(int fd, long result, uint64_t pc)
{
	if (result >= 0) {
		dh_fd_acquire(fd);
		dh_fd_used(fd, pc);
	}
	dh_fd_tried(fd, result, pc);
}

/* It is about to be shut down: who waits at it, or at the other end, comes after this. */
void dh_fd_shuts(int fd);

/* The same for copies of a descriptor of an epoll set, and for nothing else that is open
 * at the same time. `inside` is raised. */
uintptr_t dh_fd_identity(int set);

/* The descriptor that stands behind the address of such a race; -1 for none. */
int dh_fd_at(uintptr_t address);

/* A descriptor was made: whatever was known of this number is of the past, and who closed
 * it comes before. Negative ones are passed over, here and below. */
void dh_fd_made(int fd);

/* One that tells of the signals in a set, given as the kernel has it; once more where the
 * set was changed: who has sent one of these comes before who reads it out. */
void dh_fd_made_signals(int fd, uint64_t set);

/* Two ends of one pipe; of one connection that knows no address. */
void dh_fd_made_pipe(int out, int in);
void dh_fd_made_pair(int a, int b);

/* `copy` is now the same as fd. */
void dh_fd_copied(int fd, int copy);

/* It is about to go through a socket; one has come out of a socket, which is a copy of any
 * that went in and is still open. */
void dh_fd_sending(int fd);
void dh_fd_received(int fd);

/* It is about to be closed: who reads the end of the data comes after this, and who is
 * given the number next. */
void dh_fd_closing(int fd);

/* The descriptors from first to last are about to be closed. */
void dh_fd_closing_range(unsigned first, unsigned last);

/* It is about to ask for a connection to this address: who accepts one there comes after
 * this. Which connection it will be nobody knows yet, so all that ask for the same port
 * or path count as one. */
void dh_fd_connecting(const void *peer, size_t size);

/* A socket is about to take requests: who hears that there is one comes after who made it, and
 * whose request is granted after this. */
void dh_fd_listens(int fd);

/* A stream socket has, or is about to have, a connection: address is that of the peer
 * for who asked for it, and NULL for who accepted. Asks the kernel. */
void dh_fd_connected(int fd, const void *peer, size_t size);

#endif
