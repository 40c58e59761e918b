/* SPDX-License-Identifier: MIT */
/*
 * The table of descriptors; see fds.h. An entry is 0 (not looked at yet), NO_CONDUIT,
 * GIVEN_BACK (the same as 0, and who closed what had the number last has released at the
 * entry), or the address of a conduit with, in its lowest bits, the end that the
 * descriptor is:
 *
 *   BOTH     a pipe, an event counter: what goes in comes out
 *   CLIENT   releases at place 0 of the conduit, acquires at place 1
 *   SERVER   the other way round
 *
 * The places are addresses inside the conduit, or that of the entry; as synchronisation
 * objects they are found by these (sync.h). Reading an entry takes no lock. A conduit is
 * used again as a conduit only, so one that is dropped under a reader's hands does no
 * harm but an edge too many.
 */
#include "runtime/fds.h"
#include <fcntl.h>
#include <linux/kcmp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include "base/lock.h"
#include "base/mem.h"
#include "base/sys.h"
#include "runtime/addresses.h"
#include "runtime/conduit.h"
#include "runtime/intercept/fork.h"
#include "runtime/intercept/object.h"
#include "runtime/intercept/signal.h"
#include "runtime/intercept/watch.h"
#include "base/kernel.h"
#include "runtime/sync.h"
#include "runtime/ways.h"

enum end { BOTH, CLIENT, SERVER, END_MASK = 3 };
enum { NO_CONDUIT = 4, GIVEN_BACK = 8 };
enum { CHUNK_BITS = 10, CHUNKS = 1 << 10 };

/* Conduits that lead into one another, at most: a ring of them has no end. */
enum { HOPS = 8 };

/* The kernel's number for the slaves of pseudo-terminals. */
enum { SLAVES = 136 };

struct descriptor {
	uintptr_t entry; /* atomic */
	uintptr_t grave; /* not used but for its address, at which its end is recorded */
};

static struct descriptor *chunks[CHUNKS]; /* atomic */
static struct dh_lock lock;		  /* of entries and conduits */
DH_LOCK_AROUND_FORK(lock, DH_FORK_OUTER);

/* ---- entries ---- */

static struct descriptor *descriptor_of(int fd, bool make)
{
	unsigned number = (unsigned)fd;
	if (fd < 0 || number >> CHUNK_BITS >= CHUNKS)
		return NULL;
	struct descriptor **chunk = &chunks[number >> CHUNK_BITS];
	struct descriptor *at = __atomic_load_n(chunk, __ATOMIC_ACQUIRE), *fresh;
	if (!at && make && (fresh = dh_mem_map(sizeof *fresh << CHUNK_BITS))) {
		if (__atomic_compare_exchange_n(chunk, &at, fresh, false,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			at = fresh;
		else
			dh_sys_unmap(fresh, sizeof *fresh << CHUNK_BITS);
	}
	return at ? &at[number % (1 << CHUNK_BITS)] : NULL;
}

static uintptr_t *entry_of(int fd, bool make)
{
	struct descriptor *d = descriptor_of(fd, make);
	return d ? &d->entry : NULL;
}

static struct dh_conduit *conduit_in(uintptr_t entry)
{
	return entry < DH_CONDUIT_ALIGN
		   ? NULL
		   : (struct dh_conduit *)(entry & ~(uintptr_t)END_MASK);
}

static bool is_unknown(uintptr_t entry)
{
	return !entry || entry == GIVEN_BACK;
}

/* ---- changing them; under the lock ---- */

static void put(uintptr_t *entry, uintptr_t value)
{
	struct dh_conduit *c = conduit_in(value);
	if (c)
		c->users++;
	uintptr_t old = *entry;
	__atomic_store_n(entry, value, __ATOMIC_RELEASE);
	if (old == GIVEN_BACK)
		dh_sync_forget((uintptr_t)entry);
	if ((c = conduit_in(old)))
		dh_conduit_leave(c);
}

/* The kernel has given out the number: after whoever gave it back. */
static void take_number(struct dh_self *watched, const uintptr_t *entry)
{
	if (watched && *entry == GIVEN_BACK)
		dh_sync_acquire(watched, (uintptr_t)entry);
}

static uintptr_t entry_for(uint64_t key, enum end end)
{
	return (uintptr_t)dh_conduit_of(key) | (uintptr_t)end;
}

/* ---- what a descriptor is ---- */

static bool is_datagram(int fd)
{
	int type = 0, size = sizeof type;
	long r = DH_KERNEL_5(__NR_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &size);
	return r == 0 && type == SOCK_DGRAM;
}

/* The two ends of a pseudo-terminal, by its number. What goes into the master may come
 * out of it again, as an echo. The terminal that the program runs at is the slave of
 * somebody else's master: nobody here writes what it reads there. */
static uintptr_t classify_terminal(int fd, dev_t device)
{
	const bool master = device == makedev(5, 2);
	unsigned number = minor(device);
	if (master ? DH_KERNEL_3(__NR_ioctl, fd, TIOCGPTN, &number) < 0
		   : major(device) != SLAVES)
		return NO_CONDUIT;
	struct dh_conduit *c = dh_conduit_of(dh_conduit_key(DH_KEY_TERMINAL, number, 0));
	c->lingers = true;
	__atomic_store_n(&c->from[1], (uintptr_t)&c->place[0], __ATOMIC_RELEASE);
	return (uintptr_t)c | (master ? CLIENT : SERVER);
}

/* All datagram sockets, for good: who sends may be gone before who receives is looked at. */
static uintptr_t classify_datagrams(void)
{
	struct dh_conduit *c = dh_conduit_of(dh_conduit_key(DH_KEY_DATAGRAMS, 0, 0));
	if (!c->users)
		c->users = 1;
	return (uintptr_t)c | BOTH;
}

/* By its inode. One with a name may be written and closed before anybody has looked at the
 * descriptor that reads it. */
static uintptr_t classify_pipe(const struct stat *st)
{
	struct dh_conduit *c = dh_conduit_of(dh_conduit_key(DH_KEY_INODE, st->st_dev, st->st_ino));
	c->lingers = true;
	return (uintptr_t)c | BOTH;
}

static uintptr_t classify(int fd)
{
	struct stat st;
	if (DH_KERNEL_2(__NR_fstat, fd, &st) < 0)
		return NO_CONDUIT;
	if (S_ISFIFO(st.st_mode))
		return classify_pipe(&st);
	if (S_ISSOCK(st.st_mode))
		return is_datagram(fd) ? classify_datagrams() : entry_for(0, CLIENT);
	if (S_ISCHR(st.st_mode))
		return classify_terminal(fd, st.st_rdev);
	/* Event counters and the like have no file type. */
	return (st.st_mode & S_IFMT) == 0 ? entry_for(0, BOTH) : NO_CONDUIT;
}

static DH_COLD uintptr_t look_at(int fd, uintptr_t *entry)
{
	dh_lock(&lock);
	if (is_unknown(*entry))
		put(entry, classify(fd));
	uintptr_t value = *entry;
	dh_unlock(&lock);
	return value;
}

/* The entry, after a look at what the descriptor is; 0 for none. */
static uintptr_t value_of(int fd)
{
	uintptr_t *entry = entry_of(fd, true);
	if (!entry)
		return 0;
	uintptr_t value = __atomic_load_n(entry, __ATOMIC_ACQUIRE);
	return DH_UNLIKELY(is_unknown(value)) ? look_at(fd, entry) : value;
}

/* Where the descriptor releases (0) or acquires (1); 0 for nowhere. */
static uintptr_t place_of(int fd, unsigned way)
{
	uintptr_t value = value_of(fd);
	struct dh_conduit *c = conduit_in(value);
	if (!c)
		return 0;
	enum end end = value & END_MASK;
	unsigned at = end == BOTH ? 0 : end == CLIENT ? way : 1 - way;
	return (uintptr_t)&c->place[at];
}

static uintptr_t *from_of(uintptr_t place)
{
	return (uintptr_t *)(place + offsetof(struct dh_conduit, from));
}

/* Such a set has no file type, so that a conduit is its own. */
uintptr_t dh_fd_identity(int set)
{
	return place_of(set, 0);
}

/* ---- order ---- */

/* ways: a bit for each. */
static void release_at(int fd, unsigned ways)
{
	struct dh_self *t = dh_watched();
	if (!t)
		return;
	dh_enter_runtime(t);
	for (unsigned way = 0; way < 2; way++) {
		uintptr_t place = ways >> way & 1 ? place_of(fd, way) : 0;
		if (place)
			dh_sync_release_join(t, place);
	}
	dh_leave_runtime(t);
}

void dh_fd_release(int fd)
{
	release_at(fd, 1);
}

void dh_fd_shuts(int fd)
{
	release_at(fd, 1 | 2);
}

void dh_fd_acquire(int fd)
{
	struct dh_self *t = dh_watched();
	if (!t)
		return;
	dh_enter_runtime(t);
	uintptr_t place = place_of(fd, 1);
	for (unsigned hops = 0; place && hops < HOPS; hops++) {
		dh_sync_acquire(t, place);
		place = __atomic_load_n(from_of(place), __ATOMIC_ACQUIRE);
	}
	const struct dh_conduit *c = conduit_in(value_of(fd));
	uint64_t signals = c ? __atomic_load_n(&c->signals, __ATOMIC_RELAXED) : 0;
	for (; DH_UNLIKELY(signals != 0); signals &= signals - 1)
		dh_sync_acquire(t, dh_signal_sync(__builtin_ctzll(signals) + 1));
	dh_leave_runtime(t);
}

void dh_fd_passes(int in, int out)
{
	struct dh_self *t = dh_watched();
	if (!t)
		return;
	dh_enter_runtime(t);
	uintptr_t from = place_of(in, 1), to = place_of(out, 0);
	if (from && to)
		__atomic_store_n(from_of(to), from, __ATOMIC_RELEASE);
	dh_leave_runtime(t);
}

/* ---- use and end ---- */

/* The memory of an entry stands for the descriptor: accesses to it are accesses to that.
 * A use is a read, whatever the call does: of those the shadow keeps one of each thread,
 * and the end is compared with all of them. A number that is given out anew, or about to
 * be, has not been used. Some are given out where nobody sees it (by the C library to
 * itself), so that it was closed is recorded elsewhere, and asked for only where a call
 * has found it so. */
static void unused(uintptr_t *entry)
{
	dh_shadow_clear((uintptr_t)entry, sizeof(struct descriptor));
}

void dh_fd_used(int fd, uint64_t pc)
{
	const uintptr_t *entry = dh_watched() ? entry_of(fd, true) : NULL;
	if (entry && dh_touches(pc))
		dh_touch(entry, sizeof *entry, DH_ACCESS_ATOMIC, pc);
}

void dh_fd_ends(int fd, uint64_t pc)
{
	struct dh_self *t = dh_watched();
	struct descriptor *d = t ? descriptor_of(fd, true) : NULL;
	if (!d || dh_in_borrowed_memory())
		return;
	dh_object_gone(&d->entry, sizeof d->entry, pc);
	dh_enter_runtime(t);
	unused(&d->entry);
	dh_leave_runtime(t);
	dh_object_gone(&d->grave, sizeof d->grave, pc);
}

void dh_fd_missed(int fd, uint64_t pc)
{
	const struct descriptor *d = dh_watched() ? descriptor_of(fd, false) : NULL;
	if (d && DH_KERNEL_3(__NR_fcntl, fd, F_GETFD, 0) < 0)
		dh_object_used(&d->grave, pc);
}

int dh_fd_at(uintptr_t address)
{
	const size_t bytes = sizeof *chunks[0] << CHUNK_BITS;
	for (unsigned c = 0; c < CHUNKS; c++) {
		uintptr_t start =
		    (uintptr_t)__atomic_load_n(&chunks[c], __ATOMIC_ACQUIRE);
		if (start && address - start < bytes)
			return (int)(c << CHUNK_BITS) +
			       (int)((address - start) / sizeof *chunks[0]);
	}
	return -1;
}

/* ---- coming and going ---- */

/* These are noted for threads that are not watched too. A child of vfork() has its own
 * descriptors, but this memory: what it does to them is not noted. */

void dh_fd_made(int fd)
{
	struct dh_self *t = dh_thread_self(), *watched = dh_watched();
	uintptr_t *entry = entry_of(fd, false);
	if (!entry || dh_in_borrowed_memory())
		return;
	dh_enter_runtime(t);
	unused(entry);
	if (__atomic_load_n(entry, __ATOMIC_RELAXED)) {
		dh_lock(&lock);
		take_number(watched, entry);
		put(entry, 0);
		dh_unlock(&lock);
	}
	dh_leave_runtime(t);
}

void dh_fd_made_signals(int fd, uint64_t set)
{
	struct dh_self *t = dh_thread_self();
	if (dh_in_borrowed_memory())
		return;
	dh_enter_runtime(t);
	struct dh_conduit *c = conduit_in(value_of(fd));
	if (c)
		__atomic_store_n(&c->signals, set, __ATOMIC_RELAXED);
	dh_leave_runtime(t);
}

static void made_two(int a, int b, bool pipe)
{
	struct dh_self *t = dh_thread_self(), *watched = dh_watched();
	uintptr_t *first = entry_of(a, true), *second = entry_of(b, true);
	if (!first || !second || dh_in_borrowed_memory())
		return;
	dh_enter_runtime(t);
	unused(first);
	unused(second);
	dh_lock(&lock);
	take_number(watched, first);
	take_number(watched, second);
	uintptr_t c = pipe ? classify(a) : entry_for(0, BOTH);
	if (conduit_in(c))
		conduit_in(c)->lingers = false; /* both ends are known */
	put(first, pipe ? c : c | CLIENT);
	put(second, pipe ? c : c | SERVER);
	dh_unlock(&lock);
	dh_leave_runtime(t);
}

/* Entered at once: whichever end is closed first, the other still has the conduit. */
void dh_fd_made_pipe(int out, int in)
{
	made_two(out, in, true);
}

void dh_fd_made_pair(int a, int b)
{
	made_two(a, b, false);
}

void dh_fd_copied(int fd, int copy)
{
	struct dh_self *t = dh_thread_self(), *watched = dh_watched();
	uintptr_t *from = entry_of(fd, true), *to = entry_of(copy, true);
	if (!from || !to || from == to || dh_in_borrowed_memory())
		return;
	dh_enter_runtime(t);
	unused(to);
	dh_lock(&lock);
	if (is_unknown(*from))
		put(from, classify(fd));
	take_number(watched, to);
	put(to, *from);
	dh_unlock(&lock);
	dh_leave_runtime(t);
}

/* Has one ever been sent? What comes is somebody else's as long as none has. */
static bool some_sent; /* atomic */

/* Its conduit is known from now on: else the copy would get one of its own. */
void dh_fd_sending(int fd)
{
	struct dh_self *t = dh_thread_self();
	if (dh_in_borrowed_memory())
		return;
	__atomic_store_n(&some_sent, true, __ATOMIC_RELAXED);
	dh_enter_runtime(t);
	value_of(fd);
	dh_leave_runtime(t);
}

/* Event counters and the like share one inode, and have no file type. Of these alone the
 * kernel is asked in a way that a sandbox may not know of. */
static bool is_same_file(const struct stat *of_a, int a, int b)
{
	const long process = DH_KERNEL_0(__NR_getpid);
	struct stat of_b;
	if (DH_KERNEL_2(__NR_fstat, b, &of_b) < 0 || of_b.st_ino != of_a->st_ino ||
	    of_b.st_dev != of_a->st_dev)
		return false;
	return (of_a->st_mode & S_IFMT) != 0 ||
	       DH_KERNEL_5(__NR_kcmp, process, process, KCMP_FILE, a, b) == 0;
}

/* Another descriptor, one with a conduit, that is the same as this; -1 for none. */
static int twin_of(int fd)
{
	struct stat st;
	if (!__atomic_load_n(&some_sent, __ATOMIC_RELAXED) ||
	    DH_KERNEL_2(__NR_fstat, fd, &st) < 0)
		return -1;
	for (unsigned c = 0; c < CHUNKS; c++) {
		const struct descriptor *at = __atomic_load_n(&chunks[c], __ATOMIC_ACQUIRE);
		for (unsigned i = 0; at && i < 1 << CHUNK_BITS; i++) {
			const int other = (int)(c << CHUNK_BITS | i);
			uintptr_t entry = __atomic_load_n(&at[i].entry, __ATOMIC_RELAXED);
			if (other != fd && conduit_in(entry) &&
			    is_same_file(&st, fd, other))
				return other;
		}
	}
	return -1;
}

void dh_fd_received(int fd)
{
	dh_fd_made(fd);
	int twin = twin_of(fd);
	if (twin >= 0)
		dh_fd_copied(twin, fd);
}

void dh_fd_closing(int fd)
{
	struct dh_self *t = dh_thread_self(), *watched = dh_watched();
	uintptr_t *entry = entry_of(fd, false);
	dh_file_closing(fd);
	if (!entry || is_unknown(__atomic_load_n(entry, __ATOMIC_RELAXED)) ||
	    dh_in_borrowed_memory())
		return; /* nobody knows a conduit that only this one leads to */
	dh_fd_release(fd);
	dh_enter_runtime(t);
	dh_lock(&lock);
	bool leaves_word = watched && conduit_in(*entry);
	put(entry, 0);
	if (leaves_word) {
		dh_sync_release_join(t, (uintptr_t)entry);
		put(entry, GIVEN_BACK);
	}
	dh_unlock(&lock);
	dh_leave_runtime(t);
}

void dh_fd_closing_range(unsigned first, unsigned last)
{
	for (unsigned c = first >> CHUNK_BITS; c < CHUNKS && c <= last >> CHUNK_BITS;
	     c++) {
		if (!__atomic_load_n(&chunks[c], __ATOMIC_ACQUIRE))
			continue;
		unsigned from = c << CHUNK_BITS, to = from + (1 << CHUNK_BITS) - 1;
		for (unsigned fd = DH_MAX(from, first); fd <= DH_MIN(to, last); fd++)
			dh_fd_closing((int)fd);
	}
}

/* ---- connections ---- */

/* The key of everyone who asks for a connection to an address; 0 for none. Stays for good:
 * there are not many ports. */
static uint64_t request_key(const union dh_address *server, size_t size)
{
	if (server->any.sa_family == AF_UNIX)
		return dh_conduit_key(DH_KEY_PATH, dh_address_path(server, size), 0);
	if (server->any.sa_family == AF_INET || server->any.sa_family == AF_INET6)
		return dh_conduit_key(DH_KEY_PORT, server->in4.sin_port, 0);
	return 0;
}

/* The places where requests are left and taken, and where who takes them has begun to. */
enum { REQUESTS, LISTENERS };
static uintptr_t request_place(const union dh_address *server, size_t size, unsigned which)
{
	uint64_t key = request_key(server, size);
	if (!key)
		return 0;
	dh_lock(&lock);
	uintptr_t place = (uintptr_t)&dh_conduit_of(key)->place[which];
	dh_unlock(&lock);
	return place;
}

static void pass(struct dh_self *t, const union dh_address *server, size_t size, unsigned which,
		 void (*f)(struct dh_self *t, uintptr_t place))
{
	dh_enter_runtime(t);
	uintptr_t place = request_place(server, size, which);
	if (place)
		f(t, place);
	dh_leave_runtime(t);
}

void dh_fd_connecting(const void *peer, size_t size)
{
	struct dh_self *t = dh_watched();
	union dh_address server;
	if (!t || !peer || size < sizeof server.any.sa_family)
		return;
	size = dh_address_set(&server, peer, size);
	pass(t, &server, size, REQUESTS, dh_sync_release_join);
}

void dh_fd_listens(int fd)
{
	struct dh_self *t = dh_watched();
	union dh_address own;
	size_t size;
	if (!t || !dh_address_ask(__NR_getsockname, fd, &own, &size))
		return;
	dh_enter_runtime(t);
	const uintptr_t heard = place_of(fd, 1), requests = request_place(&own, size, REQUESTS);
	if (heard && requests)
		__atomic_store_n(from_of(heard), requests, __ATOMIC_RELEASE);
	dh_leave_runtime(t);
	pass(t, &own, size, LISTENERS, dh_sync_release_join);
}

void dh_fd_connected(int fd, const void *peer, size_t size)
{
	struct dh_self *t = dh_watched();
	union dh_address own, other;
	size_t own_size, other_size = 0;
	if (!t || !dh_address_ask(__NR_getsockname, fd, &own, &own_size))
		return;
	bool asked = peer != NULL;
	if (asked)
		other_size = dh_address_set(&other, peer, size);
	else
		pass(t, &own, own_size, REQUESTS, dh_sync_acquire);
	if (!asked && !dh_address_ask(__NR_getpeername, fd, &other, &other_size))
		return;
	const union dh_address *client = asked ? &own : &other, *server = asked ? &other : &own;
	uint64_t key = 0;
	if (own.any.sa_family == AF_UNIX)
		key = request_key(server, asked ? other_size : own_size);
	else if (own.any.sa_family == AF_INET || own.any.sa_family == AF_INET6)
		key = dh_conduit_key(DH_KEY_CONNECTION, dh_address_end(client, server),
				     dh_address_end(server, client));
	uintptr_t *entry = entry_of(fd, true);
	if (!key || !entry || is_datagram(fd))
		return;
	if (asked)
		pass(t, &other, other_size, LISTENERS, dh_sync_acquire);
	dh_enter_runtime(t);
	dh_lock(&lock);
	struct dh_conduit *c = dh_conduit_of(key);
	c->lingers = true;
	put(entry, (uintptr_t)c | (asked ? CLIENT : SERVER));
	dh_unlock(&lock);
	dh_leave_runtime(t);
}
