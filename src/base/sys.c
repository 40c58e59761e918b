/* SPDX-License-Identifier: MIT */
/* The porting layer over direct system calls; see sys.h for why not libc. */
#include "base/sys.h"
#include "base/kernel.h"

#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <linux/futex.h>
#include <linux/mman.h>
#include <linux/resource.h>
#include <asm/errno.h>
#include <asm/mman.h>
#include <asm/signal.h>

void *dh_sys_map(size_t size)
{
	long r = dh_kernel_call6(__NR_mmap, 0, (long)size, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return r < 0 && r > -4096 ? NULL : (void *)r;
}

void *dh_sys_map_sparse(size_t size)
{
	long r = dh_kernel_call6(__NR_mmap, 0, (long)size, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (r < 0 && r > -4096)
		return NULL;
	dh_kernel_call6(__NR_madvise, r, (long)size, MADV_DONTDUMP, 0, 0, 0);
	return (void *)r;
}

/* Does the file begin with this character? */
static bool file_says(const char *path, char what)
{
	char c = 0;
	long fd = dh_kernel_call6(__NR_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0,
				  0, 0);
	if (fd < 0)
		return false;
	long n = dh_kernel_call6(__NR_read, fd, (long)&c, 1, 0, 0, 0);
	dh_kernel_call6(__NR_close, fd, 0, 0, 0, 0, 0);
	return n == 1 && c == what;
}

static uint64_t limit_of(int what)
{
	struct rlimit64 limit = {RLIM64_INFINITY, 0};
	dh_kernel_call6(__NR_prlimit64, 0, what, 0, (long)&limit, 0, 0);
	return limit.rlim_cur;
}

/* The limit on data is one on private memory that can be written to, used or not. */
uint64_t dh_sys_memory_limit(void)
{
	return DH_MIN(limit_of(RLIMIT_AS), limit_of(RLIMIT_DATA));
}

bool dh_sys_rationed(void)
{
	return dh_sys_memory_limit() != RLIM64_INFINITY ||
	       file_says("/proc/sys/vm/overcommit_memory", '2');
}

void dh_sys_unmap(void *addr, size_t size)
{
	long r = dh_kernel_call6(__NR_munmap, (long)addr, (long)size, 0, 0, 0, 0);
	DH_CHECK(r == 0);
}

void *dh_sys_reserve(size_t size)
{
	long r = dh_kernel_call6(__NR_mmap, 0, (long)size, PROT_NONE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return r < 0 && r > -4096 ? NULL : (void *)r;
}

bool dh_sys_commit(void *addr, size_t size)
{
	return dh_kernel_call6(__NR_mprotect, (long)addr, (long)size,
			       PROT_READ | PROT_WRITE, 0, 0, 0) == 0;
}

void dh_sys_discard(void *addr, size_t size)
{
	long r =
	    dh_kernel_call6(__NR_madvise, (long)addr, (long)size, MADV_DONTNEED, 0, 0, 0);
	if (DH_UNLIKELY(r != 0))
		dh_zero(addr, size); /* the program has locked its memory (mlockall) */
}

bool dh_sys_resident(void *addr, size_t size, unsigned char *pages)
{
	return dh_kernel_call6(__NR_mincore, (long)addr, (long)size, (long)pages, 0, 0, 0) ==
	       0;
}

int dh_sys_write(int fd, const void *buf, size_t n)
{
	const char *p = buf;
	while (n > 0) {
		long r = dh_kernel_call6(__NR_write, fd, (long)p, (long)n, 0, 0, 0);
		if (r == -EINTR)
			continue;
		if (r < 0)
			return (int)r;
		p += r;
		n -= (size_t)r;
	}
	return 0;
}

void dh_sys_futex_wait(const uint32_t *word, uint32_t expected)
{
	dh_kernel_call6(__NR_futex, (long)word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, expected,
			0, 0, 0);
}

void dh_sys_futex_wake(const uint32_t *word, int n)
{
	dh_kernel_call6(__NR_futex, (long)word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, n, 0, 0,
			0);
}

void dh_sys_nap(uint64_t ns)
{
	struct timespec {
		long seconds, ns;
	} how_long = {0, (long)ns};
	dh_kernel_call6(__NR_nanosleep, (long)&how_long, 0, 0, 0, 0, 0);
}

uint64_t dh_sys_thread_id(void)
{
	return (uint64_t)dh_kernel_call6(__NR_gettid, 0, 0, 0, 0, 0, 0);
}

_Noreturn void dh_sys_abort(void)
{
	long pid = dh_kernel_call6(__NR_getpid, 0, 0, 0, 0, 0, 0);
	dh_kernel_call6(__NR_kill, pid, SIGABRT, 0, 0, 0, 0);
	for (;;)
		dh_kernel_call6(__NR_exit_group, 134, 0, 0, 0, 0, 0);
}

static size_t text_len(const char *s)
{
	size_t n = 0;
	while (s[n]) {
		n++;
		__asm__ volatile(""); /* else gcc makes a call of strlen out of this */
	}
	return n;
}

_Noreturn void dh_check_failed(const char *file, int line, const char *what)
{
	char digits[12];
	size_t at = sizeof digits;
	do {
		digits[--at] = (char)('0' + line % 10);
		line /= 10;
	} while (line > 0);
	dh_sys_write(2, "deadheat: internal error, please report: ", 41);
	dh_sys_write(2, file, text_len(file));
	dh_sys_write(2, ":", 1);
	dh_sys_write(2, digits + at, sizeof digits - at);
	dh_sys_write(2, ": ", 2);
	dh_sys_write(2, what, text_len(what));
	dh_sys_write(2, "\n", 1);
	dh_sys_abort();
}
