/* SPDX-License-Identifier: MIT */
/*
 * See channel.h. Starting the helper:
 *
 *   program --vfork--> go-between --vfork--> helper (exec)
 *
 * The go-between ends at once and is waited for, so the helper becomes an orphan. It is
 * made without an exit signal: the program gets no SIGCHLD for it, and a plain wait()
 * in another thread passes over it. Both share the program's memory until the exec, as
 * with vfork: nothing is copied, however large the program is. They run with all
 * signals blocked and call nothing but the kernel; the helper keeps them blocked.
 *
 * In a process that orphans are given to (the first one of a container, or one that has
 * asked for them) the helper would come back as a child, for wait() to see and to wait
 * for. There the go-between stays, with no file open, until the helper has ended: a
 * child without an exit signal is not seen as long as it becomes no other program.
 *
 * The socket's number is high, out of the way of programs that count on low ones. Those
 * that close all numbers through libc pass over ours, and who wants the number gets it
 * (intercept/descriptors.c); what is done to it past libc is noticed before each use by
 * the identity of the file behind it.
 */
#include "runtime/channel.h"
#include "base/kernel.h"
#include "base/sys.h"
#include "runtime/environment.h"
#include "runtime/intercept/real.h"
#include "runtime/loaded.h"
#include "runtime/modules.h"
#include "runtime/text.h"

#include <linux/fcntl.h>
#include <asm/poll.h>
#include <asm/signal.h>
#include <asm/stat.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/time_types.h>

enum {
	HIGH_FD = 900,	    /* where there is room: below the usual limit of 1024 */
	HELPER_FD = 3,	    /* the socket in the helper */
	SEND_LIMIT = 10000, /* milliseconds without progress */
	WAIT_LIMIT = 60000, /* for an acknowledgement */
	SIGNALS_SIZE = 8,   /* bytes of the kernel's signal set */
	/* From <sys/socket.h> and <sys/wait.h>, which are not for this side of libc. */
	UNIX = 1,
	STREAM = 1,
	SOCKET_CLOEXEC = O_CLOEXEC,
	NOSIGNAL = 0x4000,
	DONTWAIT = 0x40,
	WAIT_ALL = 0x40000000,
	STACK = 16 << 10, /* bytes, of a go-between that stays */
};

int clone(int (*f)(void *), void *stack, int flags, void *argument, ...);
DH_REAL_WANT(clone);

static struct {
	int fd; /* -1: none; atomic */
	uint64_t device, inode;
	bool hopeless; /* it could not be started: no second try */
	struct dh_text program;
	const char *term, *no_color; /* whole entries of the environment, or NULL */
} line = {.fd = -1};

/* ---- starting ---- */

struct plan {
	const char *program;
	const char *const *argv, *const *envp;
	int socket;
	long error;	  /* set by the helper-to-be: the memory is shared */
	uint32_t started; /* atomic; where the go-between stays */
};

static void close_from(unsigned first)
{
	enum { CLOSE_RANGE = 436, MOST = 65536 };
	if (DH_KERNEL_3(CLOSE_RANGE, first, ~0u, 0) == 0)
		return;
	for (unsigned fd = first; fd < MOST; fd++)
		DH_KERNEL_1(__NR_close, fd);
}

static _Noreturn void leave(void)
{
	for (;;)
		DH_KERNEL_1(__NR_exit, 0);
}

static DH_NOINLINE _Noreturn void be_helper(struct plan *p)
{
	if (p->socket == HELPER_FD)
		DH_KERNEL_3(__NR_fcntl, HELPER_FD, F_SETFD, 0);
	else
		DH_KERNEL_3(__NR_dup3, p->socket, HELPER_FD, 0);
	long null = DH_KERNEL_3(__NR_openat, AT_FDCWD, "/dev/null", O_RDWR);
	for (int fd = 0; fd <= 1; fd++)
		if (null >= 0 && null != fd)
			DH_KERNEL_3(__NR_dup3, null, fd, 0);
	close_from(HELPER_FD + 1);
	p->error = DH_KERNEL_3(__NR_execve, p->program, p->argv, p->envp);
	leave();
}

/* In the caller's own frame, on the caller's own stack: a call that returns twice, but
 * only once into code that goes on. */
DH_INLINE long vfork_now(void)
{
	return DH_KERNEL_5(__NR_clone, CLONE_VM | CLONE_VFORK, 0, 0, 0, 0);
}

static DH_NOINLINE _Noreturn void be_go_between(struct plan *p)
{
	long pid = vfork_now();
	if (pid == 0)
		be_helper(p);
	if (pid < 0)
		p->error = pid;
	leave();
}

static DH_NOINLINE void launch_orphan(struct plan *p)
{
	long pid = vfork_now();
	if (pid == 0)
		be_go_between(p);
	if (pid > 0)
		DH_KERNEL_4(__NR_wait4, pid, 0, WAIT_ALL, 0);
	else
		p->error = pid;
}

/* The plan is the program's, and gone once it knows. */
static int stay(void *plan)
{
	struct plan *p = plan;
	long pid = vfork_now();
	if (pid == 0)
		be_helper(p);
	if (pid < 0)
		p->error = pid;
	close_from(0);
	__atomic_store_n(&p->started, 1, __ATOMIC_RELEASE);
	dh_sys_futex_wake(&p->started, 1);
	while (pid > 0 && DH_KERNEL_4(__NR_wait4, pid, 0, WAIT_ALL, 0) == -EINTR)
		;
	return 0;
}

/* The stack stays for good: nobody is told when it could go. */
static void launch_grandchild(struct plan *p)
{
	char *stack = dh_sys_map(STACK);
	if (!stack || DH_REAL(clone)(stay, stack + STACK, CLONE_VM, p) < 0) {
		launch_orphan(p);
		return;
	}
	while (!__atomic_load_n(&p->started, __ATOMIC_ACQUIRE))
		dh_sys_futex_wait(&p->started, 0);
}

/* Would an orphan become our child? */
static bool adopts(void)
{
	int asked = 0;
	DH_KERNEL_2(__NR_prctl, PR_GET_CHILD_SUBREAPER, &asked);
	return asked || DH_KERNEL_0(__NR_getpid) == 1;
}

static long launch(struct plan *p)
{
	uint64_t all = ~(uint64_t)0, old;
	DH_KERNEL_4(__NR_rt_sigprocmask, SIG_BLOCK, &all, &old, SIGNALS_SIZE);
	(adopts() ? launch_grandchild : launch_orphan)(p);
	DH_KERNEL_4(__NR_rt_sigprocmask, SIG_SETMASK, &old, 0, SIGNALS_SIZE);
	return p->error;
}

static bool identify(int fd, uint64_t *device, uint64_t *inode)
{
	struct stat st;
	if (DH_KERNEL_2(__NR_fstat, fd, &st) < 0)
		return false;
	*device = st.st_dev;
	*inode = st.st_ino;
	return true;
}

static int move_high(int fd)
{
	long high = -1;
	for (int least = HIGH_FD; high < 0 && least > fd; least /= 2)
		high = DH_KERNEL_3(__NR_fcntl, fd, F_DUPFD_CLOEXEC, least);
	if (high < 0)
		return fd;
	DH_KERNEL_1(__NR_close, fd);
	return (int)high;
}

static void set_number(int fd)
{
	__atomic_store_n(&line.fd, fd, __ATOMIC_RELAXED);
}

static bool start(void)
{
	int ends[2];
	if (!line.program.len ||
	    DH_KERNEL_4(__NR_socketpair, UNIX, STREAM | SOCKET_CLOEXEC, 0, ends) < 0)
		return false;
	const char *const argv[] = {"deadheat", "symbolize", NULL};
	const char *const envp[] = {line.term ? line.term : "TERM=", line.no_color, NULL};
	struct plan p = {dh_text_c(&line.program), argv, envp, ends[1], 0, 0};
	long error = launch(&p);
	DH_KERNEL_1(__NR_close, ends[1]);
	set_number(move_high(ends[0]));
	if (error || !identify(line.fd, &line.device, &line.inode)) {
		dh_channel_close();
		return false;
	}
	return true;
}

/* Is the number still ours? Else the program closed it: then it is not ours to close. */
static bool still_ours(void)
{
	uint64_t device, inode;
	if (line.fd < 0)
		return false;
	if (identify(line.fd, &device, &inode) && device == line.device &&
	    inode == line.inode)
		return true;
	set_number(-1);
	return false;
}

int dh_channel_number(void)
{
	return __atomic_load_n(&line.fd, __ATOMIC_RELAXED);
}

bool dh_channel_keeps(int fd)
{
	return still_ours() && line.fd == fd;
}

void dh_channel_give_way(int fd)
{
	if (!dh_channel_keeps(fd))
		return;
	long other = DH_KERNEL_3(__NR_fcntl, fd, F_DUPFD_CLOEXEC, fd + 1);
	if (other < 0)
		other = DH_KERNEL_3(__NR_fcntl, fd, F_DUPFD_CLOEXEC, HELPER_FD);
	if (other >= 0)
		set_number((int)other);
}

bool dh_channel_open(bool *fresh)
{
	*fresh = !still_ours();
	if (!*fresh)
		return true;
	if (!line.hopeless)
		line.hopeless = !start();
	return line.fd >= 0;
}

void dh_channel_close(void)
{
	if (line.fd >= 0 && (!line.inode || still_ours()))
		DH_KERNEL_1(__NR_close, line.fd);
	set_number(-1);
	line.inode = 0;
}

/* ---- talking ---- */

/* False where nothing happens within the limit, in milliseconds. */
static bool ready(short events, long limit)
{
	struct pollfd p = {line.fd, events, 0};
	struct __kernel_timespec left = {limit / 1000, limit % 1000 * 1000000};
	long n;
	do /* the kernel counts `left` down */
		n = DH_KERNEL_5(__NR_ppoll, &p, 1, &left, 0, SIGNALS_SIZE);
	while (n == -EINTR);
	return n > 0;
}

bool dh_channel_send(const void *bytes, size_t n)
{
	const char *at = bytes;
	while (n > 0) {
		long sent =
		    DH_KERNEL_6(__NR_sendto, line.fd, at, n, NOSIGNAL | DONTWAIT, 0, 0);
		if (sent > 0) {
			at += sent;
			n -= (size_t)sent;
		} else if (sent != -EINTR &&
			   (sent != -EAGAIN || !ready(POLLOUT, SEND_LIMIT))) {
			dh_channel_close();
			return false;
		}
	}
	return true;
}

bool dh_channel_wait(uint64_t *answer)
{
	char *at = (char *)answer, *end = at + sizeof *answer;
	if (!still_ours())
		return false;
	while (at < end && ready(POLLIN, WAIT_LIMIT)) {
		long n = DH_KERNEL_3(__NR_read, line.fd, at, end - at);
		if (n <= 0 && n != -EINTR)
			break;
		at += n > 0 ? n : 0;
	}
	if (at == end)
		return true;
	dh_channel_close();
	return false;
}

/* ---- set-up ---- */

/* The helper's program as seen from the folder of this library. */
static const char *const ways[] = {
    DH_PROGRAM_FROM_LIBDIR, /* installed */
    "../../deadheat",	    /* the build tree */
};

static bool runs(const char *path)
{
	enum { EXECUTE = 1 };
	return DH_KERNEL_3(__NR_faccessat, AT_FDCWD, path, EXECUTE) == 0;
}

static void find_program(void)
{
	const char *told = dh_environment_get("DEADHEAT_HELPER");
	if (told && runs(told)) {
		dh_text_add(&line.program, told);
		return;
	}
	const struct dh_module *own = dh_modules_find((uintptr_t)&dh_channel_init);
	size_t dir = own ? dh_text_length(own->path) : 0;
	while (dir && own->path[dir - 1] != '/')
		dir--;
	for (size_t i = 0; dir && i < DH_ARRAY_LEN(ways); i++) {
		line.program.len = 0;
		dh_text_bytes(&line.program, own->path, dir);
		dh_text_add(&line.program, ways[i]);
		if (runs(dh_text_c(&line.program)))
			return;
	}
	line.program.len = 0;
}

/* The whole entry NAME=value of the environment, or NULL. */
static const char *entry(const char *name)
{
	const char *value = dh_environment_get(name);
	return value ? value - dh_text_length(name) - 1 : NULL;
}

void dh_channel_init(void)
{
	dh_modules_scan();
	if (!dh_modules_count())
		dh_loaded_note();
	find_program();
	line.term = entry("TERM");
	line.no_color = entry("NO_COLOR");
}
