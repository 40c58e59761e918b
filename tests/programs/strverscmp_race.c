/* SPDX-License-Identifier: MIT */
/* A text is compared as a version while another thread writes to it. */
#define _GNU_SOURCE
#include <string.h>
#include "threads.h"

static char version[] = "1.10";
static invisible_step_t step;
int later;

static void one(void)
{
	later = strverscmp(version, "1.9"); // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	version[0] = '2'; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
