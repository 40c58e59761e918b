/* SPDX-License-Identifier: MIT */
/* What is written into a pipe passes through two others before it is read: moved and copied
 * by threads that wait for it. */
// flags: -D_GNU_SOURCE
#include <fcntl.h>
#include "threads.h"

static int first[2], second[2], third[2];
int x;

static void writes(void)
{
	x = 1;
	if (write(first[1], "abcd", 4) != 4)
		_exit(1);
}

static void moves(void)
{
	if (splice(first[0], NULL, second[1], NULL, 4, 0) != 4)
		_exit(2);
}

static void copies(void)
{
	if (tee(second[0], third[1], 4, 0) != 4)
		_exit(3);
}

static void reads(void)
{
	char four[4];
	if (read(third[0], four, 4) != 4)
		_exit(4);
	x++;
}

int main(void)
{
	if (pipe(first) || pipe(second) || pipe(third))
		return 5;
	run_threads(4, reads, copies, moves, writes);
	return x == 2 ? 0 : 6;
}
