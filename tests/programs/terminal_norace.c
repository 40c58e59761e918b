/* SPDX-License-Identifier: MIT */
/* A pseudo-terminal: what one end writes the other reads, both ways. */
#include <pty.h>
#include <unistd.h>
#include "threads.h"

static int master, slave, data;

static void one(void)
{
	char line[8];
	data = 1;
	if (write(master, "x\n", 2) != 2 || read(master, line, sizeof line) <= 0)
		_exit(1);
	data++;
}

static void two(void)
{
	char line[8];
	if (read(slave, line, sizeof line) != 2)
		_exit(2);
	data++;
	if (write(slave, "y\n", 2) != 2)
		_exit(3);
}

int main(void)
{
	struct termios raw;
	if (openpty(&master, &slave, NULL, NULL, NULL) || tcgetattr(slave, &raw))
		return 1;
	cfmakeraw(&raw);
	if (tcsetattr(slave, TCSANOW, &raw))
		return 1;
	run_threads(2, one, two);
	return 0;
}
