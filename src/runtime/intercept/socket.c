/* SPDX-License-Identifier: MIT */
/* Sockets: connections and their order (fds.h), messages, and what the calls touch. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/socket.h>
#include "runtime/fds.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"
#include "runtime/intercept/vector.h"

_Noreturn void __chk_fail(void);

/* The header says that addresses are of a union type; the functions take any. */
typedef void *address;
typedef const void *const_address;

/* ---- connections ---- */

DH_REAL_WANT(socket);
DH_EXPORT int socket(int domain, int type, int protocol)
{
	int fd = DH_REAL(socket)(domain, type, protocol);
	dh_fd_made(fd);
	return fd;
}

DH_REAL_WANT(socketpair);
DH_EXPORT int socketpair(int domain, int type, int protocol, int fds[2])
{
	uint64_t pc = DH_CALLER();
	int r = DH_REAL(socketpair)(domain, type, protocol, fds);
	if (r == 0) {
		dh_writes(fds, 2 * sizeof *fds, pc);
		dh_fd_made_pair(fds[0], fds[1]);
	}
	return r;
}

/* An address that a call has filled in: its size is given and returned in *size. */
static void has_told(const void *to, const socklen_t *size, socklen_t room, uint64_t pc)
{
	if (!to || !size)
		return;
	dh_writes(to, DH_MIN(*size, room), pc);
	dh_writes(size, sizeof *size, pc);
}

#define ROOM(size) ((size) ? *(size) : 0)

/* Where it was shut down meanwhile, it fails, after who did that. */
static void has_accepted(int fd, int made, const void *peer, const socklen_t *size,
			 socklen_t room, uint64_t pc)
{
	if (made < 0) {
		if (errno == EINVAL)
			dh_fd_acquire(fd);
		return;
	}
	dh_fd_made(made);
	dh_fd_connected(made, NULL, 0);
	has_told(peer, size, room, pc);
}

DH_REAL_WANT(accept);
DH_EXPORT int accept(int fd, __SOCKADDR_ARG peer, socklen_t *size)
{
	socklen_t room = ROOM(size);
	int made = DH_REAL(accept)(fd, peer, size);
	has_accepted(fd, made, *(address *)&peer, size, room, DH_CALLER());
	return made;
}

DH_REAL_WANT(accept4);
DH_EXPORT int accept4(int fd, __SOCKADDR_ARG peer, socklen_t *size, int flags)
{
	socklen_t room = ROOM(size);
	int made = DH_REAL(accept4)(fd, peer, size, flags);
	has_accepted(fd, made, *(address *)&peer, size, room, DH_CALLER());
	return made;
}

DH_REAL_WANT(connect);
DH_EXPORT int connect(int fd, __CONST_SOCKADDR_ARG peer, socklen_t size)
{
	const_address to = *(const_address *)&peer;
	dh_reads(to, size, DH_CALLER());
	dh_fd_connecting(to, size);
	int r = DH_REAL(connect)(fd, peer, size);
	if (r == 0 || errno == EINPROGRESS)
		dh_fd_connected(fd, to, size);
	return r;
}

DH_REAL_WANT(bind);
DH_EXPORT int bind(int fd, __CONST_SOCKADDR_ARG own, socklen_t size)
{
	dh_reads(*(const_address *)&own, size, DH_CALLER());
	return DH_REAL(bind)(fd, own, size);
}

DH_REAL_WANT(listen);
DH_EXPORT int listen(int fd, int most)
{
	dh_fd_listens(fd);
	return DH_REAL(listen)(fd, most);
}

DH_REAL_WANT(shutdown);
DH_EXPORT int shutdown(int fd, int how)
{
	dh_fd_shuts(fd);
	return DH_REAL(shutdown)(fd, how);
}

#define NAME_OF(name)                                                                    \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(int fd, __SOCKADDR_ARG to, socklen_t *size)                   \
	{                                                                                \
		socklen_t room = ROOM(size);                                             \
		int r = DH_REAL(name)(fd, to, size);                                     \
		if (r == 0)                                                              \
			has_told(*(address *)&to, size, room, DH_CALLER());              \
		return r;                                                                \
	}
NAME_OF(getsockname)
NAME_OF(getpeername)

DH_REAL_WANT(getsockopt);
DH_EXPORT int getsockopt(int fd, int level, int option, void *to, socklen_t *size)
{
	socklen_t room = ROOM(size);
	int r = DH_REAL(getsockopt)(fd, level, option, to, size);
	if (r == 0)
		has_told(to, size, room, DH_CALLER());
	return r;
}

DH_REAL_WANT(setsockopt);
DH_EXPORT int setsockopt(int fd, int level, int option, const void *from, socklen_t size)
{
	dh_reads(from, size, DH_CALLER());
	return DH_REAL(setsockopt)(fd, level, option, from, size);
}

/* ---- descriptors that go with a message ---- */

/* What is about to be sent may be malformed, which the kernel will say. */
static void each_descriptor(const struct msghdr *m, void (*f)(int fd))
{
	struct msghdr at = *m;
	const char *end = (const char *)m->msg_control + m->msg_controllen;
	if (!m->msg_control)
		return;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&at); c; c = CMSG_NXTHDR(&at, c)) {
		if (c->cmsg_len < CMSG_LEN(0) || c->cmsg_len > (size_t)(end - (const char *)c))
			return;
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		const int *fds = (const int *)CMSG_DATA(c);
		for (size_t i = 0; i < (c->cmsg_len - CMSG_LEN(0)) / sizeof *fds; i++)
			f(fds[i]);
	}
}

/* ---- sending ---- */

DH_REAL_WANT(send);
DH_EXPORT ssize_t send(int fd, const void *from, size_t n, int flags)
{
	uint64_t pc = DH_CALLER();
	dh_reads(from, n, pc);
	dh_fd_writes(fd, pc);
	ssize_t sent = DH_REAL(send)(fd, from, n, flags);
	dh_fd_tried(fd, sent, pc);
	return sent;
}

DH_REAL_WANT(sendto);
DH_EXPORT ssize_t sendto(int fd, const void *from, size_t n, int flags,
			 __CONST_SOCKADDR_ARG to, socklen_t size)
{
	uint64_t pc = DH_CALLER();
	const_address address_of = *(const_address *)&to;
	dh_reads(from, n, pc);
	if (address_of)
		dh_reads(address_of, size, pc);
	dh_fd_writes(fd, pc);
	ssize_t sent = DH_REAL(sendto)(fd, from, n, flags, to, size);
	dh_fd_tried(fd, sent, pc);
	return sent;
}

static void will_send(const struct msghdr *m, uint64_t pc)
{
	each_descriptor(m, dh_fd_sending);
	if (!dh_touches(pc))
		return;
	dh_reads(m, sizeof *m, pc);
	dh_reads(m->msg_name, m->msg_namelen, pc);
	dh_reads(m->msg_control, m->msg_controllen, pc);
	dh_vector_reads(m->msg_iov, m->msg_iovlen, SIZE_MAX, pc);
}

DH_REAL_WANT(sendmsg);
DH_EXPORT ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
	uint64_t pc = DH_CALLER();
	will_send(m, pc);
	dh_fd_writes(fd, pc);
	ssize_t sent = DH_REAL(sendmsg)(fd, m, flags);
	dh_fd_tried(fd, sent, pc);
	return sent;
}

DH_REAL_WANT(sendmmsg);
DH_EXPORT int sendmmsg(int fd, struct mmsghdr *m, unsigned count, int flags)
{
	uint64_t pc = DH_CALLER();
	for (unsigned i = 0; i < count; i++)
		will_send(&m[i].msg_hdr, pc);
	dh_fd_writes(fd, pc);
	int sent = DH_REAL(sendmmsg)(fd, m, count, flags);
	dh_fd_tried(fd, sent, pc);
	for (int i = 0; i < sent; i++)
		dh_writes(&m[i].msg_len, sizeof m[i].msg_len, pc);
	return sent;
}

/* ---- receiving ---- */

static void has_received(int fd, void *to, ssize_t n, uint64_t pc)
{
	dh_fd_has_read(fd, n, pc);
	if (n > 0)
		dh_writes(to, (size_t)n, pc);
}

/* With MSG_TRUNC the result may be more than what there is room for. */
DH_REAL_WANT(recv);
DH_EXPORT ssize_t recv(int fd, void *to, size_t n, int flags)
{
	ssize_t got = DH_REAL(recv)(fd, to, n, flags);
	has_received(fd, to, DH_MIN(got, (ssize_t)n), DH_CALLER());
	return got;
}

DH_EXPORT ssize_t __recv_chk(int fd, void *to, size_t n, size_t room, int flags);
ssize_t __recv_chk(int fd, void *to, size_t n, size_t room, int flags)
{
	if (n > room)
		__chk_fail();
	ssize_t got = DH_REAL(recv)(fd, to, n, flags);
	has_received(fd, to, DH_MIN(got, (ssize_t)n), DH_CALLER());
	return got;
}

DH_REAL_WANT(recvfrom);
static ssize_t receive_from(int fd, void *to, size_t n, int flags, __SOCKADDR_ARG from,
			    socklen_t *size, uint64_t pc)
{
	socklen_t room = ROOM(size);
	ssize_t got = DH_REAL(recvfrom)(fd, to, n, flags, from, size);
	has_received(fd, to, DH_MIN(got, (ssize_t)n), pc);
	if (got >= 0)
		has_told(*(address *)&from, size, room, pc);
	return got;
}

DH_EXPORT ssize_t recvfrom(int fd, void *to, size_t n, int flags, __SOCKADDR_ARG from,
			   socklen_t *size)
{
	return receive_from(fd, to, n, flags, from, size, DH_CALLER());
}

DH_EXPORT ssize_t __recvfrom_chk(int fd, void *to, size_t n, size_t room, int flags,
				 __SOCKADDR_ARG from, socklen_t *size);
ssize_t __recvfrom_chk(int fd, void *to, size_t n, size_t room, int flags,
		       __SOCKADDR_ARG from, socklen_t *size)
{
	if (n > room)
		__chk_fail();
	return receive_from(fd, to, n, flags, from, size, DH_CALLER());
}

static void has_received_message(struct msghdr *m, size_t n, uint64_t pc)
{
	each_descriptor(m, dh_fd_received);
	dh_writes(m, sizeof *m, pc);
	if (m->msg_name)
		dh_writes(m->msg_name, m->msg_namelen, pc);
	if (m->msg_control)
		dh_writes(m->msg_control, m->msg_controllen, pc);
	dh_vector_writes(m->msg_iov, m->msg_iovlen, n, pc);
}

DH_REAL_WANT(recvmsg);
DH_EXPORT ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
	uint64_t pc = DH_CALLER();
	ssize_t got = DH_REAL(recvmsg)(fd, m, flags);
	dh_fd_has_read(fd, got, pc);
	if (got >= 0)
		has_received_message(m, (size_t)got, pc);
	return got;
}

DH_REAL_WANT(recvmmsg);
DH_EXPORT int recvmmsg(int fd, struct mmsghdr *m, unsigned count, int flags,
		       struct timespec *timeout)
{
	uint64_t pc = DH_CALLER();
	int got = DH_REAL(recvmmsg)(fd, m, count, flags, timeout);
	dh_fd_has_read(fd, got, pc);
	for (int i = 0; i < got; i++) {
		has_received_message(&m[i].msg_hdr, m[i].msg_len, pc);
		dh_writes(&m[i].msg_len, sizeof m[i].msg_len, pc);
	}
	return got;
}
