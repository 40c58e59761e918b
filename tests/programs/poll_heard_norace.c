/* SPDX-License-Identifier: MIT */
/* Who hears from poll() or select() that there is something to read comes after who wrote
 * it, though nothing is read. */
#include <poll.h>
#include <sys/select.h>
#include <unistd.h>
#include "threads.h"

static int ends[2];
int told;

static void one(void)
{
	told = 1;
	if (write(ends[1], "x", 1) != 1)
		_exit(1);
}

static void two(void)
{
	struct pollfd wanted = {.fd = ends[0], .events = POLLIN};
	poll(&wanted, 1, -1);
	told = 2;
}

static void three(void)
{
	fd_set wanted;
	FD_ZERO(&wanted);
	FD_SET(ends[0], &wanted);
	select(ends[0] + 1, &wanted, NULL, NULL, NULL);
	told = 3;
}

int main(void)
{
	if (pipe(ends))
		return 1;
	run_threads(2, one, two);
	if (pipe(ends))
		return 1;
	run_threads(2, one, three);
	return 0;
}
