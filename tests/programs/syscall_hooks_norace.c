/* SPDX-License-Identifier: MIT */
/* A pipe used by system calls that only the hooks of the sanitizers' header tell of. */
#include <sys/syscall.h>
#include <unistd.h>
#include "threads.h"

void __sanitizer_syscall_pre_impl_write(long fd, long from, long count);
void __sanitizer_syscall_post_impl_write(long put, long fd, long from, long count);
void __sanitizer_syscall_pre_impl_read(long fd, long to, long room);
void __sanitizer_syscall_post_impl_read(long got, long fd, long to, long room);

static int ends[2];
static int data;
int seen;

static void one(void)
{
	char c = 'x';
	data = 1;
	__sanitizer_syscall_pre_impl_write(ends[1], (long)&c, 1);
	long put = syscall(SYS_write, ends[1], &c, 1);
	__sanitizer_syscall_post_impl_write(put, ends[1], (long)&c, 1);
}

static void two(void)
{
	char c;
	__sanitizer_syscall_pre_impl_read(ends[0], (long)&c, 1);
	long got = syscall(SYS_read, ends[0], &c, 1);
	__sanitizer_syscall_post_impl_read(got, ends[0], (long)&c, 1);
	seen = data;
}

int main(void)
{
	if (pipe(ends))
		return 1;
	run_threads(2, one, two);
	return 0;
}
