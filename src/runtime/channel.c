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
 * The socket's number is high, out of the way of programs that count on low ones; those
 * that close all numbers or reuse ours are noticed before each use by the identity of
 * the file behind it.
 */
#include "runtime/channel.h"
#include "runtime/environment.h"
#include "base/kernel.h"
#include "runtime/modules.h"
#include "runtime/text.h"

#include <linux/fcntl.h>
#include <asm/poll.h>
#include <asm/signal.h>
#include <asm/stat.h>
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
};

static struct {
	int fd; /* -1: none */
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
	long error; /* set by the helper-to-be: the memory is shared */
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

static DH_NOINLINE long launch(struct plan *p)
{
	uint64_t all = ~(uint64_t)0, old;
	DH_KERNEL_4(__NR_rt_sigprocmask, SIG_BLOCK, &all, &old, SIGNALS_SIZE);
	long pid = vfork_now();
	if (pid == 0)
		be_go_between(p);
	if (pid > 0)
		DH_KERNEL_4(__NR_wait4, pid, 0, WAIT_ALL, 0);
	else
		p->error = pid;
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

static bool start(void)
{
	int ends[2];
	if (!line.program.len ||
	    DH_KERNEL_4(__NR_socketpair, UNIX, STREAM | SOCKET_CLOEXEC, 0, ends) < 0)
		return false;
	const char *const argv[] = {"deadheat", "symbolize", NULL};
	const char *const envp[] = {line.term ? line.term : "TERM=", line.no_color, NULL};
	struct plan p = {dh_text_c(&line.program), argv, envp, ends[1], 0};
	long error = launch(&p);
	DH_KERNEL_1(__NR_close, ends[1]);
	line.fd = move_high(ends[0]);
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
	line.fd = -1;
	return false;
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
	line.fd = -1;
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
	find_program();
	line.term = entry("TERM");
	line.no_color = entry("NO_COLOR");
}
