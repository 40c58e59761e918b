/* SPDX-License-Identifier: MIT */
/* What the kernel wrote for a system call counts once the hook after it has told. */
#include <sys/syscall.h>
#include <unistd.h>
#include "threads.h"

void __sanitizer_syscall_post_impl_pread64(long got, long fd, long to, long room,
					   long from);

static int file;
char buffer[4], seen;
static invisible_step_t step;

static void one(void)
{
	long got = syscall(SYS_pread64, file, buffer, sizeof buffer, 0);
	__sanitizer_syscall_post_impl_pread64(got, file, (long)buffer, 4, 0); // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	seen = buffer[0]; // race: b
}

int main(void)
{
	file = (int)syscall(SYS_openat, -100, "/proc/self/exe", 0);
	run_threads(2, one, two);
	return 0;
}
