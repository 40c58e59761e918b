/* SPDX-License-Identifier: MIT */
/* Who writes to a pseudo-terminal says nothing to who reads at the same end. */
#include <pty.h>
#include <unistd.h>
#include "threads.h"

static invisible_step_t step;
static int master, slave;
int x;

static void one(void)
{
	x = 1; // race: a
	if (write(slave, "y", 1) != 1)
		_exit(1);
	invisible_advance(&step);
}

static void two(void)
{
	char line[8];
	invisible_await(&step, 1);
	if (read(slave, line, sizeof line) != 2)
		_exit(2);
	x = 2; // race: b
}

int main(void)
{
	if (openpty(&master, &slave, NULL, NULL, NULL) || write(master, "x\n", 2) != 2)
		return 1;
	run_threads(2, one, two);
	return 0;
}
