/* SPDX-License-Identifier: MIT */
/*
 * Waiting for descriptors. Who hears that there is something to read comes after who
 * wrote it. What was put into an epoll set is ordered before what comes out of it: a
 * pointer that epoll_ctl() left is found by epoll_wait().
 */
#define _GNU_SOURCE
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include "runtime/epolls.h"
#include "runtime/fds.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"

/* ---- epoll ---- */

DH_REAL_WANT(epoll_ctl);
DH_EXPORT int epoll_ctl(int set, int what, int fd, struct epoll_event *event)
{
	DH_READS_OBJECT(event, DH_CALLER());
	dh_fd_release(set);
	if (what != EPOLL_CTL_DEL && event)
		dh_epoll_enters(set, fd, event->data.u64);
	int result = DH_REAL(epoll_ctl)(set, what, fd, event);
	if (what == EPOLL_CTL_DEL && result == 0)
		dh_epoll_leaves(set, fd);
	return result;
}

static void has_waited(int set, const struct epoll_event *events, int n, uint64_t pc)
{
	if (n <= 0)
		return;
	dh_fd_acquire(set);
	for (int i = 0; i < n; i++)
		if (events[i].events & ~(uint32_t)EPOLLOUT)
			dh_epoll_heard(set, events[i].data.u64);
	dh_writes(events, (size_t)n * sizeof *events, pc);
}

DH_REAL_WANT(epoll_wait);
DH_EXPORT int epoll_wait(int set, struct epoll_event *events, int max, int timeout)
{
	int n = DH_REAL(epoll_wait)(set, events, max, timeout);
	has_waited(set, events, n, DH_CALLER());
	return n;
}

DH_REAL_WANT(epoll_pwait);
DH_EXPORT int epoll_pwait(int set, struct epoll_event *events, int max, int timeout,
			  const sigset_t *mask)
{
	int n = DH_REAL(epoll_pwait)(set, events, max, timeout, mask);
	has_waited(set, events, n, DH_CALLER());
	return n;
}

DH_REAL_WANT(epoll_pwait2);
DH_EXPORT int epoll_pwait2(int set, struct epoll_event *events, int max,
			   const struct timespec *timeout, const sigset_t *mask)
{
	uint64_t pc = DH_CALLER();
	DH_READS_OBJECT(timeout, pc);
	int n = DH_REAL(epoll_pwait2)(set, events, max, timeout, mask);
	has_waited(set, events, n, pc);
	return n;
}

/* ---- poll ---- */

/* The kernel reads fd and events of each, and writes revents. (An address, because the
 * header claims that the array is only written.) */
static void will_poll(uintptr_t at, nfds_t count, uint64_t pc)
{
	if (!dh_touches(pc))
		return;
	for (nfds_t i = 0; i < count; i++)
		dh_access_range(at + i * sizeof(struct pollfd),
				offsetof(struct pollfd, revents), 0, pc);
}

static void has_polled(const struct pollfd *at, nfds_t count, int n, uint64_t pc)
{
	for (nfds_t i = 0; n > 0 && i < count; i++)
		if (at[i].revents & ~(POLLOUT | POLLWRNORM | POLLWRBAND | POLLNVAL))
			dh_poll_heard(at[i].fd);
	if (n < 0 || !dh_touches(pc))
		return;
	for (nfds_t i = 0; i < count; i++)
		dh_writes(&at[i].revents, sizeof at[i].revents, pc);
}

DH_REAL_WANT(poll);
DH_EXPORT int poll(struct pollfd *at, nfds_t count, int timeout)
{
	uint64_t pc = DH_CALLER();
	will_poll((uintptr_t)at, count, pc);
	int n = DH_REAL(poll)(at, count, timeout);
	has_polled(at, count, n, pc);
	return n;
}

DH_REAL_WANT(ppoll);
DH_EXPORT int ppoll(struct pollfd *at, nfds_t count, const struct timespec *timeout,
		    const sigset_t *mask)
{
	uint64_t pc = DH_CALLER();
	will_poll((uintptr_t)at, count, pc);
	DH_READS_OBJECT(timeout, pc);
	int n = DH_REAL(ppoll)(at, count, timeout, mask);
	has_polled(at, count, n, pc);
	return n;
}

/* ---- select ---- */

static void touch_sets(int count, fd_set *const sets[3], bool write, uint64_t pc)
{
	size_t bytes =
	    count > 0 ? (size_t)(count + NFDBITS - 1) / NFDBITS * sizeof(fd_mask) : 0;
	for (int i = 0; i < 3; i++) {
		if (sets[i] && write)
			dh_writes(sets[i], bytes, pc);
		else if (sets[i])
			dh_reads(sets[i], bytes, pc);
	}
}

static void has_selected(int count, fd_set *const sets[3], uint64_t pc)
{
	for (int fd = 0; fd < count; fd++)
		if ((sets[0] && FD_ISSET(fd, sets[0])) ||
		    (sets[2] && FD_ISSET(fd, sets[2])))
			dh_poll_heard(fd);
	touch_sets(count, sets, true, pc);
}

DH_REAL_WANT(select);
DH_EXPORT int select(int count, fd_set *in, fd_set *out, fd_set *other,
		     struct timeval *timeout)
{
	uint64_t pc = DH_CALLER();
	fd_set *sets[3] = {in, out, other};
	touch_sets(count, sets, false, pc);
	int n = DH_REAL(select)(count, in, out, other, timeout);
	if (n >= 0)
		has_selected(count, sets, pc);
	DH_WRITES_OBJECT(timeout, pc);
	return n;
}

DH_REAL_WANT(pselect);
DH_EXPORT int pselect(int count, fd_set *in, fd_set *out, fd_set *other,
		      const struct timespec *timeout, const sigset_t *mask)
{
	uint64_t pc = DH_CALLER();
	fd_set *sets[3] = {in, out, other};
	touch_sets(count, sets, false, pc);
	DH_READS_OBJECT(timeout, pc);
	int n = DH_REAL(pselect)(count, in, out, other, timeout, mask);
	if (n >= 0)
		has_selected(count, sets, pc);
	return n;
}
