/* SPDX-License-Identifier: MIT */
/* Dekker's algorithm: mutual exclusion by loads and stores alone. */
#include "threads.h"

static atomic_int wants[2], turn;
int data;

static void enter(int me)
{
	wants[me] = 1;
	while (wants[!me]) {
		if (turn == me)
			continue;
		wants[me] = 0;
		while (turn != me)
			;
		wants[me] = 1;
	}
}

static void leave(int me)
{
	turn = !me;
	wants[me] = 0;
}

static void one(void)
{
	for (int i = 0; i < 300; i++) {
		enter(0);
		data++;
		leave(0);
	}
	turn = 1;
}

static void two(void)
{
	for (int i = 0; i < 300; i++) {
		enter(1);
		data++;
		leave(1);
	}
	turn = 0;
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
