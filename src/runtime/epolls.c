/* SPDX-License-Identifier: MIT */
/*
 * See epolls.h. A membership is found by its set and descriptor, and is in the list of
 * those of the same set and word, which mostly has one member. Sets are told apart by
 * what they are (dh_fd_identity), so that copies of a set's descriptor are the same one.
 */
#include "runtime/epolls.h"
#include "base/lock.h"
#include "base/map.h"
#include "base/vec.h"
#include "runtime/fds.h"
#include "runtime/intercept/watch.h"
#include "runtime/ways.h"

struct member {
	uint64_t list; /* key of its list; 0: not in use */
	uint64_t set;  /* the set's identity */
	int fd;
	uint32_t next, previous; /* in the list, from 1; 0: none. Unused ones have next */
};

static struct dh_vec(struct member) members; /* under the lock, as is what follows */
static struct dh_map by_descriptor;	     /* from 1 */
static struct dh_map lists;		     /* the first of each, from 1 */
static struct dh_map sets;		     /* identities of all that ever had a member */
static uint32_t unused;			     /* the first, from 1 */
static struct dh_lock lock;
DH_LOCK_AROUND_FORK(lock, DH_FORK_OUTER);

static uint64_t key_of(uint64_t set, uint64_t what)
{
	uint64_t key = dh_mix(dh_mix(set) ^ what);
	return key ? key : 1;
}

static struct member *at(uint32_t number)
{
	return &members.at[number - 1];
}

/* ---- lists; under the lock ---- */

static void join_list(uint32_t number, uint64_t list)
{
	uint64_t *first = dh_map_put(&lists, list, NULL);
	struct member *m = at(number);
	m->list = list;
	m->previous = 0;
	m->next = (uint32_t)*first;
	if (m->next)
		at(m->next)->previous = number;
	*first = number;
}

static void leave_list(uint32_t number)
{
	struct member *m = at(number);
	if (m->next)
		at(m->next)->previous = m->previous;
	if (m->previous)
		at(m->previous)->next = m->next;
	else if (m->next)
		*dh_map_put(&lists, m->list, NULL) = m->next;
	else
		dh_map_remove(&lists, m->list);
	m->list = 0;
}

static uint32_t new_member(int fd)
{
	uint32_t number = unused;
	if (number) {
		unused = at(number)->next;
	} else {
		dh_vec_grow(&members, members.len + 1);
		number = (uint32_t)members.len;
	}
	at(number)->fd = fd;
	return number;
}

/* ---- coming, going, hearing ---- */

void dh_epoll_enters(int set, int fd, uint64_t word)
{
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	uint64_t identity = dh_fd_identity(set);
	dh_lock(&lock);
	uint64_t *known =
	    dh_map_put(&by_descriptor, key_of(identity, (unsigned)fd), NULL);
	if (*known)
		leave_list((uint32_t)*known);
	else
		*known = new_member(fd);
	at((uint32_t)*known)->set = identity;
	dh_map_put(&sets, identity, NULL);
	join_list((uint32_t)*known, key_of(identity, word));
	dh_unlock(&lock);
	dh_leave_runtime(t);
}

void dh_epoll_leaves(int set, int fd)
{
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	uint64_t key = key_of(dh_fd_identity(set), (unsigned)fd);
	dh_lock(&lock);
	const uint64_t *known = dh_map_get(&by_descriptor, key);
	uint32_t number = known ? (uint32_t)*known : 0;
	if (number) {
		leave_list(number);
		dh_map_remove(&by_descriptor, key);
		at(number)->next = unused;
		unused = number;
	}
	dh_unlock(&lock);
	dh_leave_runtime(t);
}

/* Descriptors of a list from the one at `from` on; how many there are, at most. */
static unsigned some_of(uint64_t list, unsigned from, int *fds, unsigned most)
{
	unsigned n = 0;
	dh_lock(&lock);
	const uint64_t *first = dh_map_get(&lists, list);
	for (uint32_t m = first ? (uint32_t)*first : 0; m && n < most; m = at(m)->next)
		if (from)
			from--;
		else
			fds[n++] = at(m)->fd;
	dh_unlock(&lock);
	return n;
}

/* The same of all members of a set, of which `from` is the number of the first to look at, and
 * what it is next. Sets that are in sets, or are polled, are rare. */
static unsigned some_in(uint64_t set, size_t *from, int *fds, unsigned most)
{
	unsigned n = 0;
	dh_lock(&lock);
	const bool is_set = dh_map_get(&sets, set);
	for (; is_set && *from < members.len && n < most; ++*from)
		if (members.at[*from].list && members.at[*from].set == set)
			fds[n++] = members.at[*from].fd;
	dh_unlock(&lock);
	return n;
}

/* Sets may be within sets, but the kernel allows no more than five. */
static void heard(int fd, unsigned depth)
{
	enum { BATCH = 32, DEPTH = 5 };
	struct dh_self *t = dh_thread_self();
	int fds[BATCH];
	dh_fd_acquire(fd);
	dh_file_heard(fd);
	for (size_t from = 0, n = BATCH; n == BATCH && depth < DEPTH;) {
		dh_enter_runtime(t);
		const uint64_t set = dh_fd_identity(fd);
		n = set ? some_in(set, &from, fds, BATCH) : 0;
		dh_leave_runtime(t);
		for (unsigned i = 0; i < n; i++)
			heard(fds[i], depth + 1);
	}
}

void dh_poll_heard(int fd)
{
	if (dh_watched())
		heard(fd, 0);
}

/* Not under the lock: the table of descriptors has one of its own. */
void dh_epoll_heard(int set, uint64_t word)
{
	enum { BATCH = 32 };
	struct dh_self *t = dh_watched();
	int fds[BATCH];
	if (!t)
		return;
	dh_enter_runtime(t);
	uint64_t list = key_of(dh_fd_identity(set), word);
	dh_leave_runtime(t);
	for (unsigned from = 0, n = BATCH; n == BATCH; from += n) {
		dh_enter_runtime(t);
		n = some_of(list, from, fds, BATCH);
		dh_leave_runtime(t);
		for (unsigned i = 0; i < n; i++)
			heard(fds[i], 1);
	}
}
