/* SPDX-License-Identifier: MIT */
/* volatile orders nothing between threads. */
#include "threads.h"

static volatile int flag;
int data, seen;

static void one(void)
{
	data = 1;
	flag = 1; // race: a
}

static void two(void)
{
	while (!flag) // race: b
		;
	seen = flag; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
