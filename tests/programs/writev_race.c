/* SPDX-License-Identifier: MIT */
/* writev reads its buffers. */
#include <unistd.h>
#include <sys/uio.h>
#include "threads.h"

static char a[4], b[4];
static int ends[2];
static invisible_step_t step;

static void one(void)
{
	b[3] = 1; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	struct iovec parts[2] = {{a, 4}, {b, 4}};
	if (writev(ends[1], parts, 2) != 8) // race: b
		_exit(1);
}

int main(void)
{
	if (pipe(ends))
		return 1;
	run_threads(2, one, two);
	return 0;
}
