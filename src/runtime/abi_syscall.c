/* SPDX-License-Identifier: MIT */
/*
 * Hooks around system calls that a program makes without the C library: those of the
 * sanitizers' header linux_syscall_hooks.h, one before and one after each call. Files
 * and sockets are told of as their C functions would be (intercept/io.c), and so is a
 * fork. What the rest of the kernel's calls touch stays unseen, as it does without the
 * hooks; those are here so that programs that use them can be linked.
 */
#include "runtime/abi.h"
#include "runtime/fds.h"
#include "runtime/intercept/fork.h"
#include "runtime/intercept/touch.h"

#define PRE(name, ...)                                                                   \
	DH_EXPORT void __sanitizer_syscall_pre_impl_##name(__VA_ARGS__);                 \
	void __sanitizer_syscall_pre_impl_##name(__VA_ARGS__)
#define POST(name, ...)                                                                  \
	DH_EXPORT void __sanitizer_syscall_post_impl_##name(__VA_ARGS__);                \
	void __sanitizer_syscall_post_impl_##name(__VA_ARGS__)

static void nothing(void)
{
}

#define HOOK_PRE(name)                                                                   \
	DH_EXPORT void __sanitizer_syscall_pre_impl_##name(void)                         \
	    __attribute__((alias("nothing")));
#define HOOK_POST(name)                                                                  \
	DH_EXPORT void __sanitizer_syscall_post_impl_##name(void)                        \
	    __attribute__((alias("nothing")));
#define HOOK(name) HOOK_PRE(name) HOOK_POST(name)
#include "runtime/syscall_hooks.def"

PRE(close, long fd)
{
	dh_fd_closing((int)fd);
}

HOOK_POST(close)

PRE(fork, void)
{
	dh_fork_before();
}

POST(fork, long pid)
{
	if (pid == 0)
		dh_fork_in_child();
	else
		dh_fork_in_parent();
}

/* ---- reading ---- */

static void has_read(long got, long fd, long to, uint64_t pc)
{
	if (got < 0)
		return;
	dh_fd_acquire((int)fd);
	dh_writes((const void *)to, (size_t)got, pc);
}

HOOK_PRE(read)
HOOK_PRE(pread64)

POST(read, long got, long fd, long to, long room)
{
	(void)room;
	has_read(got, fd, to, DH_CALLER());
}

POST(pread64, long got, long fd, long to, long room, long from)
{
	(void)room;
	(void)from;
	has_read(got, fd, to, DH_CALLER());
}

/* ---- writing ---- */

static void will_write(long fd, long from, long count, uint64_t pc)
{
	dh_reads((const void *)from, (size_t)count, pc);
	dh_fd_release((int)fd);
}

PRE(write, long fd, long from, long count)
{
	will_write(fd, from, count, DH_CALLER());
}

PRE(pwrite64, long fd, long from, long count, long at)
{
	(void)at;
	will_write(fd, from, count, DH_CALLER());
}

HOOK_POST(write)
HOOK_POST(pwrite64)
