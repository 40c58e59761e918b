/* SPDX-License-Identifier: MIT */
/* A folder is read into memory that another thread writes to. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include "threads.h"

static char room[4096] __attribute__((aligned(8)));
static invisible_step_t step;
static int folder;

static void one(void)
{
	getdents64(folder, room, sizeof room); // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	room[0] = 1; // race: b
}

int main(void)
{
	folder = open("/", O_RDONLY | O_DIRECTORY);
	run_threads(2, one, two);
	return 0;
}
