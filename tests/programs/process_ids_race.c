/* SPDX-License-Identifier: MIT */
/* The identities of the process are written where another thread writes too. */
#define _GNU_SOURCE
#include <unistd.h>
#include "threads.h"

uid_t who, effective, saved;
static invisible_step_t step;

static void one(void)
{
	getresuid(&who, &effective, &saved); // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	saved = 0; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
