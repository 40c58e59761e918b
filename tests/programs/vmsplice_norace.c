/* SPDX-License-Identifier: MIT */
/* Memory that is mapped into a pipe, and out of another, is written and read. */
// flags: -D_GNU_SOURCE
#include <fcntl.h>
#include <sys/uio.h>
#include "threads.h"

static int there[2], back[2];
static char text[4] = "abc";
int x;

static void one(void)
{
	struct iovec from = {text, sizeof text};
	char answer;
	x = 1;
	if (vmsplice(there[1], &from, 1, 0) != 4 || read(back[0], &answer, 1) != 1)
		_exit(1);
	x++;
}

static void two(void)
{
	char four[4];
	struct iovec to = {four, sizeof four};
	if (vmsplice(there[0], &to, 1, 0) != 4)
		_exit(2);
	x++;
	if (write(back[1], "x", 1) != 1)
		_exit(3);
}

int main(void)
{
	if (pipe(there) || pipe(back))
		return 4;
	run_threads(2, one, two);
	return x == 3 ? 0 : 5;
}
