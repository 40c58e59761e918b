/* SPDX-License-Identifier: MIT */
/* The default order is both release and acquire. */
#include "threads.h"

int data, seen;
static atomic_int flag;

static void one(void)
{
	data = 1;
	flag = 1;
}

static void two(void)
{
	while (!flag)
		;
	seen = data;
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
